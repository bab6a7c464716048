import { Scheduler } from './scheduler.js';

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

/** A clock that stands still until a test moves it. */
export class ManualScheduler extends Scheduler {
  /** What `busyShare` gives. */
  share = 0;
  private time = 0;
  private readonly timers = new Set<Timer>();

  now(): number {
    return this.time;
  }

  after(delayMs: number, callback: () => void): () => void {
    const timer = { at: this.time + delayMs, callback };
    this.timers.add(timer);
    return () => this.timers.delete(timer);
  }

  busyShare(): number {
    return this.share;
  }

  /** Moves the clock on, running timers in order and letting everything that they started come to rest. */
  async advance(ms: number): Promise<void> {
    const until = this.time + ms;
    await this.settle();
    for (let next = this.next(until); next; next = this.next(until)) {
      this.timers.delete(next);
      this.time = Math.max(this.time, next.at);
      next.callback();
      await this.settle();
    }
    this.time = until;
  }

  /** Lets pending promises run; time stands still. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
  }

  private next(until: number): Timer | undefined {
    const due = [...this.timers].filter((timer) => timer.at <= until);
    return due.sort((a, b) => a.at - b.at)[0];
  }
}
