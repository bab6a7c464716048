interface Waiter {
  readonly grant: () => void;
  readonly tell: (ahead: number) => void;
}

export interface SlotRequest {
  /** Leaves the line; does not give a slot back. */
  readonly signal?: AbortSignal;
  /** Told at once and whenever it changes: how many wait in front. Never told when a slot is free. */
  readonly onQueued?: (ahead: number) => void;
}

/** How long somebody far back in the line of this process waits before another one may have the work. */
export const LINE_PATIENCE_MS = 10 * 60_000;

/** Gives the slot back; further calls do nothing. */
export type ReleaseSlot = () => void;

/** Limits how many Terraform runs this process has at a time, first come, first served. */
export class TerraformSlots {
  private readonly queue: Waiter[] = [];
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
    request.signal?.throwIfAborted();
    if (this.taken < this.limit) this.taken += 1;
    else await this.waitInLine(request);
    return this.releaseOnce();
  }

  /**
   * As `acquire`; undefined for who has not come near in `patienceMs`: more wait in front than there are slots. The work is better offered anew
   * then, to other processes as well.
   */
  async acquireOrLeave(request: SlotRequest, patienceMs = LINE_PATIENCE_MS): Promise<ReleaseSlot | undefined> {
    const leaving = new AbortController();
    const signal = AbortSignal.any([leaving.signal, ...(request.signal ? [request.signal] : [])]);
    let ahead = 0;
    const onQueued = (place: number): void => {
      ahead = place;
      request.onQueued?.(place);
    };
    const timer = setInterval(() => ahead >= this.limit && leaving.abort(), patienceMs);
    try {
      return await this.acquire({ signal, onQueued });
    } catch (error) {
      if (leaving.signal.aborted && !request.signal?.aborted) return undefined;
      throw error;
    } finally {
      clearInterval(timer);
    }
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

  private waitInLine(request: SlotRequest): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.queue.splice(this.queue.indexOf(waiter), 1);
        this.tellAll();
        reject(request.signal?.reason as Error);
      };
      const waiter: Waiter = {
        grant: () => {
          request.signal?.removeEventListener('abort', leave);
          resolve();
        },
        tell: (ahead) => request.onQueued?.(ahead),
      };
      request.signal?.addEventListener('abort', leave, { once: true });
      this.queue.push(waiter);
      waiter.tell(this.queue.length - 1);
    });
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
