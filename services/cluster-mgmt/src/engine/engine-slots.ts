/** A place to run an engine in, or how many are before us in the queue (1 is next). */
export type SlotRequest =
  { readonly granted: true; readonly release: () => void } | { readonly granted: false; readonly position: number };

/** How often who waits asks again, in case the news of a free slot was lost. */
export const SLOT_POLL_MS = 30_000;

/** Who is called and does not come by then, such as to another replica, has the next one called as well. */
const COME_WITHIN_MS = 5_000;

/** A waiting key that has not asked again for this long has gone away. Replicas share the passes, so each hears of it now and then only. */
const FORGET_AFTER_MS = 10 * SLOT_POLL_MS;

interface Waiter {
  readonly askedAt: number;
  /** Told of a free slot since it asked. */
  isCalled: boolean;
  /** Called and did not come; whoever is behind need not wait for it. */
  isAbsent: boolean;
}

/**
 * Limits how many engines run in this process at a time. First come, first served; nobody blocks:
 * who gets no slot asks again, and is told by `onFree` when that is worth it.
 */
export class EngineSlots {
  private taken = 0;
  private readonly queue = new Map<string, Waiter>();

  constructor(
    readonly limit: number,
    private readonly onFree: (key: string) => void = () => undefined,
    private readonly now: () => number = () => performance.now(),
  ) {}

  get running(): number {
    return this.taken;
  }

  /** Keys that asked and will ask again. */
  get waiting(): number {
    return this.line().length;
  }

  /** Asking again with the same key keeps its place. */
  request(key: string): SlotRequest {
    this.queue.set(key, { askedAt: this.now(), isCalled: false, isAbsent: false });
    const position = this.line().indexOf(key) + 1;
    if (position > this.limit - this.taken) return { granted: false, position };
    this.queue.delete(key);
    this.taken += 1;
    return { granted: true, release: this.releaseOnce() };
  }

  /** Needs none any more. */
  leave(key: string): void {
    this.queue.delete(key);
  }

  private releaseOnce(): () => void {
    let released = false;
    return () => {
      if (released) return;
      released = true;
      this.taken -= 1;
      this.callNext();
    };
  }

  /** Tells as many as there are free slots. */
  private callNext(): void {
    for (const key of this.line().slice(0, Math.max(0, this.limit - this.taken))) {
      const waiter = this.queue.get(key);
      if (waiter && !waiter.isCalled) this.call(key, waiter);
    }
  }

  private call(key: string, waiter: Waiter): void {
    waiter.isCalled = true;
    const passOver = (): void => {
      // Who asked again since is another waiter.
      waiter.isAbsent = true;
      if (this.queue.get(key) === waiter) this.callNext();
    };
    setTimeout(passOver, COME_WITHIN_MS).unref();
    this.onFree(key);
  }

  /** Who waits, in order. */
  private line(): readonly string[] {
    this.dropSilent();
    return [...this.queue].filter(([, { isAbsent }]) => !isAbsent).map(([key]) => key);
  }

  private dropSilent(): void {
    for (const [key, { askedAt }] of this.queue) {
      if (this.now() - askedAt > FORGET_AFTER_MS) this.queue.delete(key);
    }
  }
}
