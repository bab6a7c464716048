import type { Scheduler } from './scheduler.js';
import type { WorkLease, WorkQueue } from './work-queue.js';

export interface LeaseTimes {
  /** How long a key stays with who claimed it and does not renew. */
  readonly leaseMs: number;
  /** Well below `leaseMs`: a renewal that fails is tried again before the lease ends. */
  readonly renewEveryMs: number;
}

export interface LeaseKeeperOptions extends LeaseTimes {
  readonly queue: WorkQueue;
  readonly scheduler: Scheduler;
  readonly lease: WorkLease;
  /** On the scheduler's clock, from before the claim was sent: the lease cannot have started earlier. */
  readonly claimedAt: number;
  /** Called at most once, when the lease was taken over or could not be renewed in time. */
  readonly onLost: (why: string) => void;
}

// The pass is told before the lease ends, so that it has stopped by the time another replica starts.
const SAFETY_SHARE = 1 / 6;
const RETRY_SHARE = 1 / 5;

/**
 * Renews a lease until stopped. It needs no synchronised clocks: it counts from before each request was sent, so it gives up
 * before the queue does, also when the queue does not answer.
 */
export class LeaseKeeper {
  private readonly cancels = new Map<'renew' | 'expire', () => void>();
  private isStopped = false;

  constructor(private readonly options: LeaseKeeperOptions) {
    this.extend(options.claimedAt);
  }

  stop(): void {
    this.isStopped = true;
    for (const cancel of this.cancels.values()) cancel();
  }

  private extend(since: number): void {
    const { leaseMs, renewEveryMs } = this.options;
    this.at(since + leaseMs * (1 - SAFETY_SHARE), 'expire', () => this.lose('could not be renewed in time'));
    this.at(since + renewEveryMs, 'renew', () => void this.renew());
  }

  private async renew(): Promise<void> {
    const { queue, scheduler, lease, leaseMs, renewEveryMs } = this.options;
    const sentAt = scheduler.now();
    try {
      const isOurs = await queue.renew(lease, leaseMs);
      if (this.isStopped) return;
      if (isOurs) this.extend(sentAt);
      else this.lose('was taken over');
    } catch {
      // Not worth a line of its own: the queue being away is logged by the loop, losing the lease by `onLost`.
      if (this.isStopped) return;
      this.at(sentAt + renewEveryMs * RETRY_SHARE, 'renew', () => void this.renew());
    }
  }

  private lose(why: string): void {
    this.stop();
    this.options.onLost(why);
  }

  private at(time: number, name: 'renew' | 'expire', callback: () => void): void {
    const { scheduler } = this.options;
    this.cancels.get(name)?.();
    this.cancels.set(name, scheduler.after(Math.max(0, time - scheduler.now()), callback));
  }
}
