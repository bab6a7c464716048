import { BoundedCache } from '@crate/auth';

const WINDOW_MS = 10_000;
const SINGLY = 10;
const KEYS = 4_096;

interface Window {
  readonly until: number;
  seen: number;
}

/**
 * Counts alike things: the first ten of each ten seconds are told one by one, the rest together when the time is over.
 * So what somebody tries over and over fills no log, and is not lost either.
 */
export class Repetitions {
  private readonly windows = new BoundedCache<Window>(KEYS);

  /** True when this one is to be told by itself. Otherwise `tell` is called once, at the end, with the number of the rest. */
  isSingle(key: string, nowMs: number, tell: (rest: number) => void): boolean {
    const window = this.windowOf(key, nowMs);
    window.seen += 1;
    if (window.seen <= SINGLY) return true;
    if (window.seen === SINGLY + 1) {
      setTimeout(() => tell(window.seen - SINGLY), Math.max(0, window.until - nowMs)).unref();
    }
    return false;
  }

  private windowOf(key: string, nowMs: number): Window {
    const known = this.windows.get(key);
    if (known && nowMs < known.until) return known;
    const window = { until: nowMs + WINDOW_MS, seen: 0 };
    this.windows.set(key, window);
    return window;
  }
}
