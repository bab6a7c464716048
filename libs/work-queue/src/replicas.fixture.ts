import { setImmediate as afterTimers, setTimeout as delay } from 'node:timers/promises';
import type { Database } from '@crate/database';
import { unavailable } from '@crate/errors';
import {
  ReconcileEngine,
  Reconciler,
  settled,
  waiting,
  WorkQueue,
  type Outcome,
  type ReconcileContext,
  type ReconcileKey,
  type WorkLease,
} from '@crate/reconcile';
import { InMemoryLogger, InMemoryMetrics } from '@crate/telemetry';
import { eventually } from '@crate/testing';
import { assertEpoch, PostgresWorkQueue } from './index.js';

/** Steps that every key needs; each is one fenced write. */
export const STEPS = 3;
const LEASE_MS = 500;

type Health = 'well' | 'dead' | 'zombie';

/** What all replicas of a test know of each other; the database does not. */
export class Bench {
  readonly live = new Map<string, Set<ReconcileContext>>();
  readonly overlaps: string[] = [];
  refusedWrites = 0;

  constructor(readonly database: Database) {}

  async prepare(): Promise<void> {
    await this.database.execute(`CREATE TABLE progress (name text PRIMARY KEY, steps integer NOT NULL)`);
    await this.database.execute(`CREATE TABLE writes (seq bigserial, name text, epoch bigint, replica text)`);
  }

  /** Advances the key by one step, if this pass may. */
  async step(name: string, lease: WorkLease, replica: string): Promise<number> {
    return this.database.transaction(async (transaction) => {
      const row = await transaction.firstRow<{ steps: number }>(
        `INSERT INTO progress VALUES ($1, 1) ON CONFLICT (name) DO UPDATE SET steps = progress.steps + 1 RETURNING steps`,
        [name],
      );
      await transaction.execute('INSERT INTO writes (name, epoch, replica) VALUES ($1, $2, $3)', [
        name,
        lease.epoch,
        replica,
      ]);
      await assertEpoch(transaction, lease);
      return row?.steps ?? 0;
    });
  }

  async stepsOf(name: string): Promise<number> {
    const row = await this.database.firstRow<{ steps: number }>('SELECT steps FROM progress WHERE name = $1', [name]);
    return row?.steps ?? 0;
  }

  /**
   * Notes when two passes of a key run that both believe to hold it. All replicas are of one process here: where that stood still, a claim may be
   * answered before the timer that ends the older pass, though it has been due for longer. So that has its turn first.
   */
  async enter(key: ReconcileKey, context: ReconcileContext): Promise<void> {
    const passes = this.live.get(key.name) ?? new Set();
    this.live.set(key.name, passes.add(context));
    await delay(0);
    await afterTimers();
    const others = [...passes].filter((other) => other !== context && !other.signal.aborted);
    if (others.length > 0) this.overlaps.push(`${key.name} at epochs ${others[0]?.epoch} and ${context.epoch}`);
  }

  leave(key: ReconcileKey, context: ReconcileContext): void {
    this.live.get(key.name)?.delete(context);
  }
}

/** A queue whose connection can be cut, as by a network partition or a process that stands still. */
class CuttableQueue extends WorkQueue {
  isCut = false;
  onLook: () => void = () => undefined;

  constructor(private readonly queue: WorkQueue) {
    super();
  }

  enqueue = this.guard((...values: Parameters<WorkQueue['enqueue']>) => this.queue.enqueue(...values));
  claim = this.guard((...values: Parameters<WorkQueue['claim']>) => this.queue.claim(...values));
  renew = this.guard((...values: Parameters<WorkQueue['renew']>) => this.queue.renew(...values));
  finish = this.guard((...values: Parameters<WorkQueue['finish']>) => this.queue.finish(...values));
  nextDueInMs = this.guard((...values: Parameters<WorkQueue['nextDueInMs']>) => {
    this.onLook();
    return this.queue.nextDueInMs(...values);
  });
  depth = this.guard((...values: Parameters<WorkQueue['depth']>) => this.queue.depth(...values));
  oldestWaitMs = this.guard((...values: Parameters<WorkQueue['oldestWaitMs']>) => this.queue.oldestWaitMs(...values));
  position = this.guard((...values: Parameters<WorkQueue['position']>) => this.queue.position(...values));

  private guard<V extends unknown[], R>(call: (...values: V) => Promise<R>): (...values: V) => Promise<R> {
    return async (...values) => {
      if (this.isCut) throw unavailable('Cut off');
      return call(...values);
    };
  }
}

/** One process of a service, which can die or lose the database in the middle of its work. */
export class Replica extends Reconciler {
  readonly name = 'cluster';
  readonly logger = new InMemoryLogger();
  passes = 0;
  private running = 0;
  private health: Health = 'well';
  private isDoomed = false;
  private readonly queue: CuttableQueue;
  private readonly engine: ReconcileEngine;

  constructor(
    readonly id: string,
    private readonly bench: Bench,
  ) {
    super();
    this.queue = new CuttableQueue(new PostgresWorkQueue({ database: bench.database }));
    const { queue, logger } = this;
    this.engine = new ReconcileEngine({ queue, logger, metrics: new InMemoryMetrics(), leaseMs: LEASE_MS, pollMs: 50 });
    this.engine.register({ reconciler: this, options: { concurrency: 6 } });
    this.engine.start();
  }

  async reconcile(key: ReconcileKey, context: ReconcileContext): Promise<Outcome> {
    this.passes++;
    this.running++;
    try {
      await this.bench.enter(key, context);
      return await this.advance(key, context);
    } finally {
      this.bench.leave(key, context);
      this.running--;
    }
  }

  /** Resolves when no pass runs any more; those of the dead never will. */
  async drained(): Promise<void> {
    await eventually(() => this.health === 'dead' || this.running === 0);
  }

  get isWell(): boolean {
    return this.health === 'well' && !this.isDoomed;
  }

  /** As kill -9 does: nothing is given back, nothing goes on. */
  die(): void {
    this.health = 'dead';
    this.queue.isCut = true;
  }

  /** In the middle of its next step it loses the queue, and its passes do not listen to their signals: they write after others took over. */
  becomeZombie(): void {
    this.isDoomed = true;
  }

  /** Calls back whenever the idle loop has looked at the queue. */
  set onLook(callback: () => void) {
    this.queue.onLook = callback;
  }

  stop(): Promise<void> {
    if (this.health === 'well') return this.engine.stop();
    void this.engine.stop();
    return Promise.resolve();
  }

  private async advance(key: ReconcileKey, context: ReconcileContext): Promise<Outcome> {
    const { lease, signal } = context;
    if (!lease) throw new Error('The engine gave no lease');
    if ((await this.bench.stepsOf(key.name)) >= STEPS) return settled;
    if (this.isDoomed) this.loseTheQueue();
    await delay(2 + Math.random() * 8);
    if (this.health === 'dead') return new Promise(() => undefined);
    if (this.health === 'zombie') await this.waitForHeir(lease);
    else signal.throwIfAborted();
    const steps = await this.write(key, lease);
    return steps >= STEPS ? settled : waiting('WaitingForNextStep', 50);
  }

  private loseTheQueue(): void {
    this.health = 'zombie';
    this.queue.isCut = true;
  }

  private async write(key: ReconcileKey, lease: WorkLease): Promise<number> {
    try {
      return await this.bench.step(key.name, lease, this.id);
    } catch (error) {
      if (this.health === 'zombie') this.bench.refusedWrites++;
      throw error;
    }
  }

  private async waitForHeir(lease: WorkLease): Promise<void> {
    const epochNow = async (): Promise<bigint> => {
      const row = await this.bench.database.firstRow<{ epoch: string }>(
        'SELECT epoch FROM work_items WHERE name = $1',
        [lease.key.name],
      );
      return BigInt(row?.epoch ?? 0);
    };
    await eventually(async () => (await epochNow()) > lease.epoch);
  }
}
