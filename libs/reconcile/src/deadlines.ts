import { timeout } from '@crate/errors';
import type { ReconcileContext } from './outcome.js';
import type { ReconcilerOptions } from './reconciler.js';
import type { Scheduler } from './scheduler.js';

/** The two signals of a pass. */
export type PassSignals = Pick<ReconcileContext, 'remoteSignal' | 'signal'>;

/** The two times after which they fire. */
export type Deadlines = Pick<ReconcilerOptions, 'remoteDeadlineMs' | 'deadlineMs'>;

/** Two abort signals with their timers. Call `dispose` when the work is over. */
export class DeadlineSignals implements PassSignals {
  private readonly remote = new AbortController();
  private readonly whole = new AbortController();
  private cancels: readonly (() => void)[] = [];

  constructor(
    private readonly deadlines: Deadlines,
    private readonly scheduler: Scheduler,
  ) {
    this.begin();
  }

  private begin(): void {
    const { remoteDeadlineMs, deadlineMs } = this.deadlines;
    this.cancels = [
      this.scheduler.after(remoteDeadlineMs, () =>
        this.abortRemote(timeout(`Took longer than ${inSeconds(remoteDeadlineMs)}`)),
      ),
      this.scheduler.after(deadlineMs, () => this.abort(timeout(`Took longer than ${inSeconds(deadlineMs)}`))),
    ];
  }

  /** Time does not count while this goes on; both deadlines begin anew after it. Not for two at a time. */
  async inLine<T>(wait: () => Promise<T>): Promise<T> {
    this.dispose();
    try {
      return await wait();
    } finally {
      this.begin();
    }
  }

  get remoteSignal(): AbortSignal {
    return this.remote.signal;
  }

  get signal(): AbortSignal {
    return this.whole.signal;
  }

  /** Ends calls to the outside world; the rest may still record why. The first reason stays. */
  abortRemote(reason: Error): void {
    this.remote.abort(reason);
  }

  /** Ends everything. */
  abort(reason: Error): void {
    this.remote.abort(reason);
    this.whole.abort(reason);
  }

  dispose(): void {
    for (const cancel of this.cancels) cancel();
  }
}

function inSeconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}
