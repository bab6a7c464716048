/** A place to run an engine in, or how many are before us in the queue (1 is next). */
export type SlotRequest =
  { readonly granted: true; readonly release: () => void } | { readonly granted: false; readonly position: number };

/** A waiting key that has not asked again for this long has gone away, such as to another replica. */
const FORGET_AFTER_MS = 60_000;

/**
 * Limits how many engines run in this process at a time. First come, first served; nobody blocks:
 * who gets no slot asks again, and is told by `onFree` when that is worth it.
 */
export class EngineSlots {
  private taken = 0;
  private readonly queue = new Map<string, number>();

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
    this.dropSilent();
    return this.queue.size;
  }

  /** Asking again with the same key keeps its place. */
  request(key: string): SlotRequest {
    this.dropSilent();
    this.queue.set(key, this.now());
    const position = [...this.queue.keys()].indexOf(key) + 1;
    if (position > this.limit - this.taken) return { granted: false, position };
    this.queue.delete(key);
    this.taken += 1;
    return { granted: true, release: this.releaseOnce() };
  }

  private releaseOnce(): () => void {
    let released = false;
    return () => {
      if (released) return;
      released = true;
      this.taken -= 1;
      const [next] = this.queue.keys();
      if (next !== undefined) this.onFree(next);
    };
  }

  private dropSilent(): void {
    for (const [key, askedAt] of this.queue) {
      if (this.now() - askedAt > FORGET_AFTER_MS) this.queue.delete(key);
    }
  }
}
