import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findChromium, launchChromium, type Browser, type Page } from '@crate/testing';
import { readableTokens } from './page-guard.js';

const isThere = findChromium() !== undefined;
const suite = isThere ? describe : describe.skip;
const ORIGIN = 'https://crate.test/';
const TOKEN = 'crate_0123456789abcdefghij';

suite(`where scripts find tokens${isThere ? '' : ' (skipped: there is no Chromium in PATH)'}`, () => {
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(async () => browser?.close());

  async function open(): Promise<void> {
    page = await browser.newPage();
    await page.route(ORIGIN, (route) => route.fulfill({ contentType: 'text/html', body: '<title>Page</title>' }));
    await page.goto(ORIGIN);
  }

  it.each([
    ['the storage of the browser', `localStorage.setItem('session', '${TOKEN}')`],
    ['the storage of the tab', `sessionStorage.setItem('session', '${TOKEN}')`],
    ['a cookie that is not kept from scripts', `document.cookie = 'session=${TOKEN}'`],
    ['the state of the history', `history.replaceState({ token: '${TOKEN}' }, '')`],
    ['a variable', `window.token = '${TOKEN}'`],
    ['the page itself', `document.body.textContent = '${TOKEN}'`],
    ['a cache', `caches.open('answers').then((cache) => cache.put('/session', new Response('${TOKEN}')))`],
    [
      'a database',
      `new Promise((done, failed) => {
        const opening = indexedDB.open('console');
        opening.onupgradeneeded = () => opening.result.createObjectStore('sessions').put({ token: '${TOKEN}' }, 1);
        opening.onsuccess = () => { opening.result.close(); done(); };
        opening.onerror = failed;
      })`,
    ],
  ])('knows of %s', async (_, keep) => {
    await open();
    expect(await readableTokens(page)).toEqual([]);
    await page.evaluate(keep);
    expect(await readableTokens(page)).toEqual([expect.stringContaining(TOKEN)]);
    await page.context().close();
  });
});
