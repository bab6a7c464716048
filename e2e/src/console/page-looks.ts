// Questions to a page, answered in the browser.

/** How much the part of the page that scrolls is too tall for the window. */
export const EXCESS = `Math.max(0, ...[document.documentElement, ...document.querySelectorAll('main, .pf-v6-c-page__main-container, .pf-v6-c-page__main')].map((each) => each.scrollHeight - each.clientHeight))`;

/** Nothing moves any more, but for what never ends; one thing that comes to rest may set another going. */
export const AT_REST = `(async () => {
  const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())));
  const moving = () => document.getAnimations().filter(({ effect }) => Number.isFinite(effect?.getComputedTiming().endTime));
  await document.fonts.ready;
  await frame();
  for (let round = 0; round < 20 && moving().length > 0; round += 1) {
    await Promise.allSettled(moving().map(({ finished }) => finished));
    await frame();
  }
})()`;

/** Whether what a script lays out knows that the page is as narrow as on a phone, or is not: it hears later of a window that changes. */
export const KNOWS_ITS_WIDTH = `[...document.querySelectorAll('.pf-v6-c-page')].every((each) => each.matches('.pf-m-breakpoint-default') === each.clientWidth < 576)`;

/** Elements that make the page wider than the window, outermost first. */
export const TOO_WIDE = `(() => {
  const width = document.documentElement.clientWidth;
  const isCut = (each) => { for (let at = each; at; at = at.parentElement) if (/auto|scroll|hidden|clip/.test(getComputedStyle(at).overflowX) && at.tagName !== 'HTML' && at.tagName !== 'BODY' && !at.matches('main, .pf-v6-c-page__main-container, .pf-v6-c-page__main')) return true; return false; };
  const wide = [...document.body.querySelectorAll('*')].filter((each) => { const { right, width: own } = each.getBoundingClientRect(); return own > 0 && right > width + 1 && !isCut(each); });
  return wide.filter((each) => !wide.includes(each.parentElement)).slice(0, 3).map((each) => each.outerHTML.slice(0, 160));
})()`;

/** Titles and what can be pressed that somebody cannot read to their end: shortened, or behind an edge that does not
 * scroll. What a closed menu holds is out of reach of the keyboard, too. */
export const CUT_OFF = `(() => {
  const isShort = (each) => getComputedStyle(each).textOverflow === 'ellipsis' && each.scrollWidth > each.clientWidth + 1;
  const isBehind = (each) => { const { right, width } = each.getBoundingClientRect(); for (let at = each.parentElement; at && width > 1; at = at.parentElement) { const { overflowX } = getComputedStyle(at); if (/auto|scroll/.test(overflowX)) return false; if (/hidden|clip/.test(overflowX) && right > at.getBoundingClientRect().right + 1) return true; } return false; };
  const shown = [...document.querySelectorAll('h1, h2, h3, h4, th, dt, button, a, .pf-v6-c-banner')].filter((each) => each.checkVisibility() && !each.closest('[aria-hidden=true], [tabindex="-1"]:not(h1)'));
  const isPastItsEdge = (each) => each.matches('.pf-v6-c-banner') && each.scrollWidth > each.clientWidth + 1;
  const cut = shown.filter((each) => isPastItsEdge(each) || [each, ...each.querySelectorAll('*')].some(isShort) || (each.matches('button, a') && isBehind(each)));
  return cut.slice(0, 3).map((each) => each.outerHTML.slice(0, 160));
})()`;

/** Words of a table that are broken where they have no end: numbers and versions are read at a glance, or not at all. */
export const BROKEN_WORDS = `(() => {
  const isOnLines = (text, from, to) => { const range = document.createRange(); range.setStart(text, from); range.setEnd(text, to); return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1; };
  const isBroken = ({ childNodes }) => [...childNodes].some((text) => text.nodeType === Node.TEXT_NODE && [...text.data.matchAll(/(?<![^\\s_@:-])[A-Za-z0-9.]{1,16}(?![^\\s_@:-])/g)].some(({ index, 0: word }) => isOnLines(text, index, index + word.length)));
  return [...document.querySelectorAll('td, td *')].filter((each) => each.checkVisibility() && isBroken(each)).slice(0, 3).map((each) => each.outerHTML.slice(0, 160));
})()`;

/** How much the page still says that it waits for. */
export const STILL_LOADING = `document.querySelectorAll('.pf-v6-c-spinner, .pf-v6-c-skeleton, tbody[aria-busy=true]').length`;

/** What ends on paper before what is in it does: there nobody scrolls. */
export const CUT_ON_PAPER = `[...document.querySelectorAll('body, body *')]
  .filter((each) => each.scrollHeight > each.clientHeight + 1 && /auto|scroll|hidden|clip/.test(getComputedStyle(each).overflowY))
  .filter((each) => each.checkVisibility() && each.clientHeight > 1)
  .map((each) => each.outerHTML.slice(0, 160))`;
