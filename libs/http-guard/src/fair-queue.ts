import { PlatformError } from '@crate/errors';

export interface FairQueueOptions {
  /** How many may be inside at a time. */
  readonly concurrency: number;
  /** How many of one flow may wait. */
  readonly queueLength: number;
  /** How long one may wait. */
  readonly waitMs: number;
}

interface Flow {
  running: number;
  readonly waiting: Waiter[];
}

interface Waiter {
  readonly admit: () => void;
}

/**
 * Lets a bounded number in at a time, and when there are more, those whose flow has the fewest inside: whoever sends a lot waits
 * for himself, not others for him. Memory is bounded by flows that are inside or wait.
 */
export class FairQueue {
  private readonly flows = new Map<string, Flow>();
  /** How many of one flow may be inside: three quarters, so that there is room for others at once. */
  private readonly perFlow: number;
  private running = 0;

  constructor(private readonly options: FairQueueOptions) {
    this.perFlow = Math.max(1, Math.ceil(options.concurrency * 0.75));
  }

  /** How many are inside. */
  get inside(): number {
    return this.running;
  }

  /**
   * Resolves with the way out, to be called once, when it is this one's turn. Throws TooManyRequests when the flow's queue is full
   * or it takes too long, or when the signal aborts while it waits.
   */
  async enter(flowKey: string, signal: AbortSignal): Promise<() => void> {
    const flow = this.flows.get(flowKey) ?? { running: 0, waiting: [] };
    this.flows.set(flowKey, flow);
    if (this.hasRoomFor(flow) && flow.waiting.length === 0) return this.admit(flowKey, flow);
    if (signal.aborted || flow.waiting.length >= this.options.queueLength) {
      this.forgetIdle(flowKey, flow);
      throw tooBusy(this.options.waitMs);
    }
    try {
      await this.wait(flow, signal);
    } catch (error) {
      this.forgetIdle(flowKey, flow);
      throw error;
    }
    return this.wayOut(flowKey, flow);
  }

  private hasRoomFor({ running }: Flow): boolean {
    return this.running < this.options.concurrency && running < this.perFlow;
  }

  private admit(flowKey: string, flow: Flow): () => void {
    this.running += 1;
    flow.running += 1;
    return this.wayOut(flowKey, flow);
  }

  private wayOut(flowKey: string, flow: Flow): () => void {
    let isOut = false;
    return () => {
      if (isOut) return;
      isOut = true;
      this.running -= 1;
      flow.running -= 1;
      this.forgetIdle(flowKey, flow);
      this.admitNext();
    };
  }

  private wait(flow: Flow, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', giveUp);
      };
      const waiter: Waiter = {
        admit: () => {
          end();
          this.running += 1;
          flow.running += 1;
          resolve();
        },
      };
      const giveUp = (): void => {
        end();
        flow.waiting.splice(flow.waiting.indexOf(waiter), 1);
        reject(tooBusy(this.options.waitMs));
      };
      const timer = setTimeout(giveUp, this.options.waitMs);
      signal.addEventListener('abort', giveUp, { once: true });
      flow.waiting.push(waiter);
    });
  }

  /** The flow with the fewest inside goes first; of equals the one that was there first. */
  private admitNext(): void {
    let next: Flow | undefined;
    for (const flow of this.flows.values()) {
      if (flow.waiting.length === 0 || !this.hasRoomFor(flow)) continue;
      if (!next || flow.running < next.running) next = flow;
    }
    next?.waiting.shift()?.admit();
  }

  private forgetIdle(flowKey: string, flow: Flow): void {
    if (flow.running === 0 && flow.waiting.length === 0) this.flows.delete(flowKey);
  }
}

function tooBusy(waitMs: number): PlatformError {
  return new PlatformError('TooManyRequests', 'too many requests are under way, please try again later', {
    details: { retryAfterMs: Math.max(1000, Math.round(waitMs / 2)) },
  });
}
