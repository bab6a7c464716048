import { useSyncExternalStore } from 'react';

const TICK_MS = 1000;
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let now = Date.now();

/** The time, in milliseconds since 1970, renewed each second; one timer serves the whole page. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, current);
}

/** What `select` makes of the time; drawn anew only when that is another. */
export function useFromNow<T extends string | number | boolean>(select: (now: number) => T): T {
  return useSyncExternalStore(subscribe, () => select(current()));
}

/** Nobody counts while nobody listens, such as when something is drawn first: then it is looked up, the same all through a second. */
function current(): number {
  if (timer === undefined) now = Math.floor(Date.now() / TICK_MS) * TICK_MS;
  return now;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (timer === undefined) {
    current();
    timer = setInterval(tick, TICK_MS);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function tick(): void {
  now = Date.now();
  for (const listener of listeners) listener();
}
