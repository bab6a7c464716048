import { measureElement, useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { useEffect, useEffectEvent, useLayoutEffect, useState } from 'react';
import type { FleetFeed, FleetSnapshot } from './fleet-feed.js';
import { expectedHeight, learnHeight } from './row-heights.js';

export type RowVirtualizer = Virtualizer<HTMLElement, HTMLTableRowElement>;

/** Above the rows in view stands their heading. */
const HEADING_PX = 48;
const OVERSCAN = 4;
/** Rows come and go so many at once: each time the browser looks anew at the style of every row there is. */
const AT_ONCE = 8;

/** How far each state of the page was scrolled: coming back finds the same rows in view. */
const scrolled = new Map<string, { readonly top: number; readonly index: number }>();

/** Which rows are drawn: those in view of the element that scrolls around `table`, and a few more. */
export function useVirtualRows(options: {
  readonly table: HTMLElement | null;
  readonly count: number;
  /** Kept drawn wherever the page is scrolled, as the keyboard is there. */
  readonly active: number | undefined;
  readonly key: string;
  readonly feed: FleetFeed;
  readonly rows: FleetSnapshot['rows'];
}): RowVirtualizer {
  const { table, count, active, key, feed, rows } = options;
  const scroller = table && scrollerOf(table);
  const margin = useHeightAbove(table, scroller);
  // eslint-disable-next-line react-hooks/incompatible-library -- it is not handed to anything that is memoised
  const virtualizer = useVirtualizer<HTMLElement, HTMLTableRowElement>({
    count,
    getScrollElement: () => scroller,
    estimateSize: (index) => expectedHeight(rows.get(index)),
    measureElement: (element, entry, instance) => {
      const height = measureElement(element, entry, instance);
      learnHeight(rows.get(instance.indexFromElement(element)), height);
      return height;
    },
    overscan: OVERSCAN,
    scrollMargin: margin,
    scrollPaddingStart: HEADING_PX,
    rangeExtractor: ({ startIndex, endIndex, overscan }) => {
      const from = Math.max(0, roundedDown(startIndex - overscan));
      const to = Math.min(count, roundedDown(endIndex + overscan) + AT_ONCE) - 1;
      const indexes = Array.from({ length: Math.max(0, to - from + 1) }, (_none, index) => from + index);
      const isOutside = active !== undefined && active < count && (active < from || active > to);
      return isOutside ? [...indexes, active].toSorted((a, b) => a - b) : indexes;
    },
  });
  const { startIndex, endIndex } = virtualizer.range ?? { startIndex: 0, endIndex: 0 };
  useEffect(() => {
    if (count > 0) feed.show(startIndex, endIndex);
    // What is asked for anew begins with the first rows, whatever is in view.
  }, [feed, startIndex, endIndex, count, key]);
  useScrollMemory(virtualizer, scroller, key, count > 0 ? margin : 0);
  return virtualizer;
}

function roundedDown(index: number): number {
  return Math.floor(index / AT_ONCE) * AT_ONCE;
}

/** What stands above the table comes and goes: cards, chips, a notice. */
function useHeightAbove(table: HTMLElement | null, scroller: HTMLElement | null): number {
  const [height, setHeight] = useState(0);
  useEffect(() => {
    const around = table?.parentElement;
    if (!table || !scroller || !around) return undefined;
    const observer = new ResizeObserver(() => {
      const distance = table.getBoundingClientRect().top - scroller.getBoundingClientRect().top;
      setHeight(Math.round(distance + scroller.scrollTop));
    });
    observer.observe(around);
    return () => observer.disconnect();
  }, [table, scroller]);
  return height;
}

/** `start` is how far down the table begins; 0 while it is not laid out. */
function useScrollMemory(virtualizer: RowVirtualizer, scroller: HTMLElement | null, key: string, start: number): void {
  const isLaidOut = start > 0;
  const begin = useEffectEvent(() => {
    if ((virtualizer.scrollOffset ?? 0) > start) virtualizer.scrollToOffset(start);
  });
  useLayoutEffect(() => {
    if (!scroller || !isLaidOut) return undefined;
    const before = scrolled.get(key);
    // Heights above it are only guessed by now: a row is found again by its place, not by the distance to it.
    if (before && before.index > 0) virtualizer.scrollToIndex(before.index, { align: 'start' });
    else if (before) virtualizer.scrollToOffset(before.top);
    else begin();
    const remember = (): void => {
      scrolled.set(key, { top: virtualizer.scrollOffset ?? 0, index: virtualizer.range?.startIndex ?? 0 });
    };
    scroller.addEventListener('scroll', remember, { passive: true });
    return () => scroller.removeEventListener('scroll', remember);
  }, [virtualizer, scroller, key, isLaidOut]);
}

function scrollerOf(element: HTMLElement): HTMLElement {
  for (let at = element.parentElement; at; at = at.parentElement) {
    if (/auto|scroll/.test(getComputedStyle(at).overflowY)) return at;
  }
  return document.documentElement;
}
