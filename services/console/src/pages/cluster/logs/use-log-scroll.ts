import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, useLayoutEffect, useRef, type RefObject, type UIEvent } from 'react';
import type { LogLine } from './log-line.js';
import { placeAfter, type DrawnLines } from './log-place.js';

const LINE_HEIGHT = 21;

/** A log, and where in it somebody is. */
export interface ScrolledLog {
  readonly lines: readonly LogLine[];
  /** How many came before them. */
  readonly dropped: number;
  /** Line that is shown and marked, counted with those; -1: none. */
  readonly marked: number;
  /** How many times a line was asked for: also the same one is gone to again. */
  readonly asked: number;
  /** Keeps the end in sight. */
  readonly isFollowing: boolean;
  /** The person went back in the log. */
  readonly onLeaveEnd: () => void;
}

type Lines = Virtualizer<HTMLDivElement, Element>;

interface LogScroll {
  /** What the lines scroll in. */
  readonly box: RefObject<HTMLDivElement | null>;
  /** Which of them are to be drawn, and where. */
  readonly virtual: Lines;
  readonly scrolled: (event: UIEvent<HTMLElement>) => void;
}

/** Keeps in sight what is to be: the end while it is followed, a line that was asked for, else what somebody reads. */
export function useLogScroll(log: ScrolledLog): LogScroll {
  const { lines, dropped, marked, asked, isFollowing, onLeaveEnd } = log;
  const box = useRef<HTMLDivElement>(null);
  // eslint-disable-next-line react-hooks/incompatible-library -- nothing it returns is kept beyond a drawing
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => box.current,
    estimateSize: () => LINE_HEIGHT,
    overscan: 20,
    getItemKey: useCallback((index: number) => index + dropped, [dropped]),
  });
  useSamePlace(virtual, dropped, isFollowing);
  useEffect(() => {
    if (isFollowing && lines.length > 0) virtual.scrollToIndex(lines.length - 1, { align: 'end' });
  }, [isFollowing, lines, virtual]);
  useEffect(() => {
    if (marked >= dropped) virtual.scrollToIndex(marked - dropped, { align: 'center' });
    // eslint-disable-next-line react-hooks/exhaustive-deps -- a line is gone to once, whatever goes before it
  }, [marked, asked, virtual]);
  return { box, virtual, scrolled: useLeaving(onLeaveEnd) };
}

/** Whoever reads further up goes on where they are when the first lines go. */
function useSamePlace(virtual: Lines, dropped: number, isFollowing: boolean): void {
  const drawn = useRef<DrawnLines>({ dropped, items: [] });
  useLayoutEffect(() => {
    const startOf = (index: number): number => virtual.measurementsCache[index]?.start ?? 0;
    const to = placeAfter(drawn.current, virtual.scrollOffset ?? 0, dropped, startOf);
    if (!isFollowing && dropped !== drawn.current.dropped) virtual.scrollToOffset(to);
    drawn.current = { dropped, items: virtual.getVirtualItems() };
  });
}

/** Tells when somebody scrolls up, away from the end. */
function useLeaving(onLeaveEnd: () => void): LogScroll['scrolled'] {
  const top = useRef(0);
  // By wheel, key, finger or the bar alike. What follows the end scrolls down, or stays at it while lines go.
  return ({ currentTarget }) => {
    const { scrollTop, scrollHeight, clientHeight } = currentTarget;
    if (scrollTop < top.current && scrollHeight - clientHeight - scrollTop > LINE_HEIGHT) onLeaveEnd();
    top.current = scrollTop;
  };
}
