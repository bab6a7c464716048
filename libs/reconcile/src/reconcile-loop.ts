import { PASSES_A_TURN } from './courtesy.js';
import type { EngineParts, Registered } from './engine-parts.js';
import { RunningPass } from './running-pass.js';
import type { WorkLease } from './work-queue.js';

interface Running {
  readonly pass: RunningPass;
  readonly ended: Promise<void>;
}

// A key can be due and yet locked by another replica's claim for a moment.
const SHORTEST_PAUSE_MS = 25;
// Under a storm of hints, two looks that find nothing are at least this far apart.
const REST_MS = 10;

/**
 * Claims due keys of one reconciler as far as there is room, and runs their passes.
 * It sleeps until the next key is due, a pass ends, somebody calls `wake`, or the safety poll.
 */
export class ReconcileLoop {
  private readonly running = new Map<string, Running>();
  private finished: Promise<void> = Promise.resolve();
  private isWoken = false;
  private isStopping = false;
  private isQueueAway = false;
  private begun = 0;
  /** Whether the last look may have left due keys behind. */
  private isFull = false;
  private alarm: { readonly at: number; readonly cancel: () => void } | undefined;
  private endPause: () => void = () => undefined;

  constructor(
    private readonly parts: EngineParts,
    private readonly registered: Registered,
  ) {}

  start(): void {
    this.finished = this.loop();
  }

  /** Look at once: something became due. Cheap to call often. */
  wake(): void {
    this.isWoken = true;
    this.endPause();
  }

  /** No new claims; waits for passes up to the grace time. */
  async stop(): Promise<void> {
    this.isStopping = true;
    this.alarm?.cancel();
    this.wake();
    for (const { pass } of this.running.values()) pass.interrupt();
    await Promise.race([this.drained(), this.grace()]);
    for (const { pass } of this.running.values()) pass.abandon();
  }

  private async loop(): Promise<void> {
    while (!this.isStopping) {
      await this.giveWay();
      this.isWoken = false;
      const begunBefore = this.begun;
      const pauseMs = await this.look();
      const lookedAt = this.parts.scheduler.now();
      if (!this.isWoken) await this.pause(pauseMs);
      if (this.begun === begunBefore) await this.restUntil(lookedAt + REST_MS);
    }
  }

  /** Starts what there is room for; gives how long to sleep, undefined for "until a pass ends". */
  private async look(): Promise<number | undefined> {
    const { queue, scheduler, times } = this.parts;
    const { name } = this.registered.reconciler;
    const { free } = this;
    this.isFull = free <= 0;
    if (this.isFull) return undefined;
    const room = this.courteous(free);
    try {
      const claimedAt = scheduler.now();
      const leases = await queue.claim(name, room, times.leaseMs);
      for (const lease of leases) this.begin(lease, claimedAt);
      this.isFull = leases.length === room;
      // When it is woken already, it looks again at once, whatever is due.
      if (this.isWoken) return undefined;
      // What courtesy left behind has its turn after the courtesy pause, also when no pass ends for long.
      if (this.isFull) return room < free ? 0 : undefined;
      const nextDueMs = (await queue.nextDueInMs(name)) ?? times.pollMs;
      this.reportQueue(undefined);
      return Math.max(SHORTEST_PAUSE_MS, Math.min(nextDueMs, times.pollMs));
    } catch (error) {
      this.reportQueue(error);
      return times.pollMs;
    }
  }

  private get free(): number {
    return this.registered.options.concurrency - this.running.size;
  }

  private courteous(free: number): number {
    return this.parts.courtesy.pauseMs() > 0 ? Math.min(free, PASSES_A_TURN) : free;
  }

  /** Requests come first: somebody waits for them. */
  private giveWay(): Promise<void> | undefined {
    const { scheduler, courtesy } = this.parts;
    return this.restUntil(scheduler.now() + courtesy.pauseMs());
  }

  private begin(lease: WorkLease, claimedAt: number): void {
    this.begun++;
    const id = `${lease.key.namespace}/${lease.key.name}`;
    const pass = new RunningPass(this.parts, this.registered, lease, claimedAt);
    const previous = this.running.get(id);
    const ended = this.runAfter(previous, pass).then((dueInMs) => {
      if (this.running.get(id) === entry) this.running.delete(id);
      this.afterPass(dueInMs);
    });
    const entry = { pass, ended };
    this.running.set(id, entry);
    this.parts.metrics.claimed(lease);
    if (this.isStopping) pass.interrupt();
  }

  /** Looks again when there may be something: keys were left behind for want of room, or this one is due soon. */
  private afterPass(dueInMs: number | undefined): void {
    if (this.isFull || this.isStopping || dueInMs === 0) return this.wake();
    // The poll would find what is due later than that.
    if (dueInMs !== undefined && dueInMs < this.parts.times.pollMs) this.wakeIn(dueInMs);
  }

  private wakeIn(ms: number): void {
    const { scheduler } = this.parts;
    const at = scheduler.now() + ms;
    if (this.alarm && this.alarm.at <= at) return;
    this.alarm?.cancel();
    const cancel = scheduler.after(ms, () => {
      this.alarm = undefined;
      this.wake();
    });
    this.alarm = { at, cancel };
  }

  /** Our own earlier pass of the key may still run, when its lease ended while the queue was away. One at a time. */
  private async runAfter(previous: Running | undefined, pass: RunningPass): Promise<number | undefined> {
    previous?.pass.lose('was taken over');
    await previous?.ended;
    return pass.run();
  }

  private async drained(): Promise<void> {
    await this.finished;
    while (this.running.size > 0) await Promise.all([...this.running.values()].map(({ ended }) => ended));
  }

  private grace(): Promise<void> {
    return new Promise((resolve) => this.parts.scheduler.after(this.parts.times.graceMs, resolve));
  }

  private pause(ms: number | undefined): Promise<void> {
    return new Promise((resolve) => {
      const cancel = ms === undefined ? undefined : this.parts.scheduler.after(ms, resolve);
      this.endPause = () => {
        cancel?.();
        resolve();
      };
    });
  }

  private restUntil(time: number): Promise<void> | undefined {
    const { scheduler } = this.parts;
    const restMs = time - scheduler.now();
    if (restMs <= 0 || this.isStopping) return undefined;
    return new Promise((resolve) => scheduler.after(restMs, resolve));
  }

  /** One line when the queue goes away and one when it is back, however often we look. */
  private reportQueue(error: unknown): void {
    const isAway = error !== undefined;
    if (isAway === this.isQueueAway) return;
    this.isQueueAway = isAway;
    const { logger } = this.parts;
    const fields = { reconciler: this.registered.reconciler.name };
    if (isAway) logger.error('Work queue does not answer', { ...fields, error });
    else logger.info('Work queue answers again', fields);
  }
}
