/* oxlint-disable typescript/require-await -- The port is asynchronous, memory is not. */
import { currentTraceparent } from '@crate/telemetry';
import type { ReconcileKey } from './reconciler.js';
import { TRACE_LASTS_MS, WorkQueue, type WorkClaim, type WorkLease, type WorkResult } from './work-queue.js';

interface Item {
  readonly reconciler: string;
  readonly key: ReconcileKey;
  dueAt: number;
  attempts: number;
  epoch: bigint;
  leaseUntil: number | undefined;
  trace: { readonly traceparent: string; readonly since: number } | undefined;
}

/** The queue of one process, for tests; the same instance may stand for several replicas' shared queue. */
export class InMemoryWorkQueue extends WorkQueue {
  private readonly items = new Map<string, Item>();
  private lastEpoch = 0n;

  /** @param now Milliseconds on the queue's clock. */
  constructor(private readonly now: () => number = () => performance.now()) {
    super();
  }

  async enqueue(reconciler: string, keys: readonly ReconcileKey[], delayMs = 0): Promise<void> {
    const dueAt = this.now() + delayMs;
    const traceparent = currentTraceparent();
    const trace = traceparent === undefined ? undefined : { traceparent, since: this.now() };
    for (const key of keys) {
      const id = idOf(reconciler, key);
      const item = this.items.get(id);
      if (!item) this.items.set(id, { reconciler, key, dueAt, attempts: 0, epoch: 0n, leaseUntil: undefined, trace });
      else if (item.dueAt > dueAt) Object.assign(item, { dueAt, trace: item.trace ?? trace });
    }
  }

  async claim(reconciler: string, limit: number, leaseMs: number): Promise<readonly WorkLease[]> {
    return this.due(reconciler)
      .slice(0, limit)
      .map((item) => this.lease(item, leaseMs));
  }

  async renew(lease: WorkClaim, leaseMs: number): Promise<boolean> {
    const item = this.held(lease);
    if (item) item.leaseUntil = this.now() + leaseMs;
    return item !== undefined;
  }

  async finish(lease: WorkClaim, result: WorkResult): Promise<number | undefined> {
    const item = this.held(lease);
    if (!item) return undefined;
    item.leaseUntil = undefined;
    if (result.kind === 'again') {
      if (result.settled && item.dueAt === Infinity) item.trace = undefined;
      item.dueAt = Math.min(item.dueAt, this.now() + result.afterMs);
      item.attempts = result.failed ? item.attempts + 1 : 0;
    } else if (result.kind === 'release') {
      item.dueAt = Math.min(item.dueAt, this.now());
    } else {
      item.attempts = 0;
      if (item.dueAt === Infinity) {
        this.items.delete(idOf(item.reconciler, item.key));
        return undefined;
      }
    }
    return Math.max(0, item.dueAt - this.now());
  }

  async nextDueInMs(reconciler: string): Promise<number | undefined> {
    const times = this.of(reconciler).map(claimableAt);
    return times.length === 0 ? undefined : Math.max(0, Math.min(...times) - this.now());
  }

  async depth(reconciler: string): Promise<{ due: number; leased: number }> {
    const leased = this.of(reconciler).filter((item) => this.isLeased(item)).length;
    return { due: this.due(reconciler).length, leased };
  }

  async oldestWaitMs(reconciler: string): Promise<number> {
    const [oldest] = this.due(reconciler);
    return oldest ? this.now() - claimableAt(oldest) : 0;
  }

  async position(reconciler: string, key: ReconcileKey): Promise<number | undefined> {
    const item = this.items.get(idOf(reconciler, key));
    if (item && this.isLeased(item)) return 0;
    const index = this.due(reconciler).findIndex((each) => each === item);
    return index < 0 ? undefined : index + 1;
  }

  private lease(item: Item, leaseMs: number): WorkLease {
    const { reconciler, key, attempts } = item;
    const waitedMs = this.now() - claimableAt(item);
    const isTakeover = item.leaseUntil !== undefined;
    item.epoch = this.lastEpoch += 1n;
    item.leaseUntil = this.now() + leaseMs;
    item.dueAt = Infinity;
    if (item.trace && this.now() - item.trace.since >= TRACE_LASTS_MS) item.trace = undefined;
    const trace = item.trace ? { trace: item.trace.traceparent } : {};
    return { reconciler, key, epoch: item.epoch, attempts, waitedMs, isTakeover, ...trace };
  }

  private held(lease: WorkClaim): Item | undefined {
    const item = this.items.get(idOf(lease.reconciler, lease.key));
    return item?.epoch === lease.epoch && item.leaseUntil !== undefined ? item : undefined;
  }

  private isLeased(item: Item): boolean {
    return item.leaseUntil !== undefined && item.leaseUntil > this.now();
  }

  private due(reconciler: string): Item[] {
    const due = this.of(reconciler).filter((item) => claimableAt(item) <= this.now());
    return due.sort((a, b) => claimableAt(a) - claimableAt(b));
  }

  private of(reconciler: string): Item[] {
    return [...this.items.values()].filter((item) => item.reconciler === reconciler);
  }
}

/** When somebody may take the key: at the end of the lease that is out, or else when it is due. */
function claimableAt(item: Item): number {
  return item.leaseUntil ?? item.dueAt;
}

function idOf(reconciler: string, key: ReconcileKey): string {
  return JSON.stringify([reconciler, key.namespace, key.name]);
}
