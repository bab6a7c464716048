interface Waiter {
  /** When it, or an earlier wait of the same key, got in line. */
  readonly since: number;
  readonly grant: () => void;
  readonly tell: (ahead: number) => void;
}

export interface SlotRequest {
  /** Leaves the line; does not give a slot back. */
  readonly signal?: AbortSignal;
  /** More of the same work follows soon: `acquireOrLeave` gives it the place before all that came later. */
  readonly keepsPlace?: boolean;
  /** Told at once and whenever it changes: how many wait in front. Never told when a slot is free. */
  readonly onQueued?: (ahead: number) => void;
}

/** Who left the line and comes back within this time has its old place. */
const PLACE_KEPT_MS = 5 * 60_000;

/** How long somebody far back in the line of this process waits before another one may have the work. */
export const LINE_PATIENCE_MS = 10 * 60_000;

/** Gives the slot back; further calls do nothing. */
export type ReleaseSlot = () => void;

/** Limits how many Terraform runs this process has at a time, first come, first served. */
export class TerraformSlots {
  private readonly queue: Waiter[] = [];
  /** By key: since when those waited who are to come back, and when they left the line. */
  private readonly left = new Map<string, { readonly since: number; readonly at: number }>();
  private taken = 0;

  constructor(readonly limit: number) {}

  get running(): number {
    return this.taken;
  }

  get waiting(): number {
    return this.queue.length;
  }

  /** Waits for a slot; rejects with the signal's reason when it aborts first. */
  async acquire(request: SlotRequest = {}): Promise<ReleaseSlot> {
    return this.enter(request, performance.now());
  }

  private async enter(request: SlotRequest, since: number): Promise<ReleaseSlot> {
    request.signal?.throwIfAborted();
    if (this.taken < this.limit) this.taken += 1;
    else await this.waitInLine(request, since);
    return this.releaseOnce();
  }

  /**
   * As `acquire`; undefined for who has not come near in `patienceMs`: more wait in front than there are slots. The work is better offered anew
   * then, to other processes as well; where it comes back with the same key it has the place that it had.
   */
  async acquireOrLeave(
    key: string,
    request: SlotRequest,
    patienceMs = LINE_PATIENCE_MS,
  ): Promise<ReleaseSlot | undefined> {
    const since = this.placeOf(key);
    const leaving = new AbortController();
    const signal = AbortSignal.any([leaving.signal, ...(request.signal ? [request.signal] : [])]);
    let ahead = 0;
    const onQueued = (place: number): void => {
      ahead = place;
      request.onQueued?.(place);
    };
    const timer = setInterval(() => ahead >= this.limit && leaving.abort(), patienceMs);
    try {
      const release = await this.enter({ signal, onQueued }, since);
      if (request.keepsPlace) this.left.set(key, { since, at: performance.now() });
      return release;
    } catch (error) {
      if (!leaving.signal.aborted || request.signal?.aborted) throw error;
      this.left.set(key, { since, at: performance.now() });
      return undefined;
    } finally {
      clearInterval(timer);
    }
  }

  /** Since when the key waits. A place that is not taken up again belongs to nobody. */
  private placeOf(key: string): number {
    const now = performance.now();
    for (const [other, { at }] of this.left) if (now - at > PLACE_KEPT_MS) this.left.delete(other);
    const since = this.left.get(key)?.since ?? now;
    this.left.delete(key);
    return since;
  }

  /**
   * A slot for work that is in no hurry: only one that nobody waits for, and never the last one where there are several.
   * Undefined when there is none now.
   */
  tryAcquire(): ReleaseSlot | undefined {
    const usable = Math.max(1, this.limit - 1);
    if (this.taken >= usable || this.queue.length > 0) return undefined;
    this.taken += 1;
    return this.releaseOnce();
  }

  private releaseOnce(): ReleaseSlot {
    let released = false;
    return () => {
      if (released) return;
      released = true;
      this.release();
    };
  }

  private waitInLine(request: SlotRequest, since: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.queue.splice(this.queue.indexOf(waiter), 1);
        this.tellAll();
        reject(request.signal?.reason as Error);
      };
      const waiter: Waiter = {
        since,
        grant: () => {
          request.signal?.removeEventListener('abort', leave);
          resolve();
        },
        tell: (ahead) => request.onQueued?.(ahead),
      };
      request.signal?.addEventListener('abort', leave, { once: true });
      this.join(waiter);
    });
  }

  private join(waiter: Waiter): void {
    const behind = this.queue.findIndex(({ since }) => since > waiter.since);
    const place = behind < 0 ? this.queue.length : behind;
    this.queue.splice(place, 0, waiter);
    for (const [ahead, { tell }] of [...this.queue.entries()].slice(place)) tell(ahead);
  }

  /** The slot passes on to the first in line without becoming free in between. */
  private release(): void {
    const next = this.queue.shift();
    if (!next) {
      this.taken -= 1;
      return;
    }
    next.grant();
    this.tellAll();
  }

  private tellAll(): void {
    for (const [ahead, waiter] of this.queue.entries()) waiter.tell(ahead);
  }
}
