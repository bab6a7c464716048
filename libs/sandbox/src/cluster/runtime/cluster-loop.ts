import { hasCode } from '@crate/errors';
import type { ClusterScope } from './cluster-scope.js';
import { collectionKey, type CacheChange } from './object-cache.js';

/** Names an object to look at; `namespace` is empty for cluster-scoped kinds. */
export interface ClusterKey {
  readonly namespace: string;
  readonly name: string;
}

/** Which keys a change wakes. */
export type KeysOf = (change: CacheChange, scope: ClusterScope) => readonly ClusterKey[];

/**
 * A loop of a simulated cluster. It holds no state of its own, so that one instance serves every cluster.
 */
export interface ClusterReconciler {
  readonly name: string;
  /** By collection (`collectionKey`). */
  readonly watches: ReadonlyMap<string, KeysOf>;
  /** Looks at one object; gives the milliseconds after which to look again, or nothing when changes will tell. */
  reconcile(key: ClusterKey, scope: ClusterScope): Promise<number | undefined>;
}

const CONCURRENCY = 8;
const FIRST_RETRY_MS = 20;
const LAST_RETRY_MS = 30_000;

/** Runs the reconcilers of one cluster: woken by changes, one pass per key at a time, nothing when nothing changes. */
export class ClusterLoop {
  private readonly due = new Map<string, () => Promise<void>>();
  private readonly running = new Set<string>();
  private readonly timers = new Map<string, NodeJS.Timeout>();
  private readonly failures = new Map<string, number>();
  private isStopped = false;
  private isScheduled = false;
  private idle: (() => void)[] = [];

  constructor(
    private readonly scope: ClusterScope,
    private readonly reconcilers: readonly ClusterReconciler[],
  ) {}

  /** Looks at everything once, then follows changes. */
  start(): void {
    this.scope.cache.onChange((change) => this.wake(change));
    for (const change of this.scope.cache.all()) this.wake(change);
  }

  /** No pass starts after this; resolves when the running ones have ended. */
  async stop(): Promise<void> {
    this.isStopped = true;
    for (const timer of this.timers.values()) clearTimeout(timer);
    this.timers.clear();
    this.due.clear();
    if (this.running.size > 0) await new Promise<void>((resolve) => this.idle.push(resolve));
  }

  /** Resolves when nothing is due, running or waited for. */
  async whenIdle(): Promise<void> {
    if (this.due.size + this.running.size + this.timers.size === 0) return;
    await new Promise<void>((resolve) => this.idle.push(resolve));
  }

  /** Wakes the keys an outside change concerns, such as a machine that stopped. */
  enqueue(reconcilerName: string, key: ClusterKey): void {
    const reconciler = this.reconcilers.find(({ name }) => name === reconcilerName);
    if (reconciler) this.add(reconciler, key);
  }

  private wake(change: CacheChange): void {
    const collection = collectionKey(change.key);
    for (const reconciler of this.reconcilers) {
      const keys = reconciler.watches.get(collection)?.(change, this.scope) ?? [];
      for (const key of keys) this.add(reconciler, key);
    }
  }

  private add(reconciler: ClusterReconciler, key: ClusterKey): void {
    if (this.isStopped) return;
    const id = `${reconciler.name}|${key.namespace}/${key.name}`;
    clearTimeout(this.timers.get(id));
    this.timers.delete(id);
    this.due.set(id, () => this.pass(id, reconciler, key));
    if (this.isScheduled) return;
    this.isScheduled = true;
    // After the current burst of changes, so that many changes of one key make one pass.
    setImmediate(() => {
      this.isScheduled = false;
      this.startPasses();
    });
  }

  private startPasses(): void {
    for (const [id, pass] of this.due) {
      if (this.isStopped || this.running.size >= CONCURRENCY) return;
      if (this.running.has(id)) continue; // Looked at again when the running pass ends.
      this.due.delete(id);
      this.running.add(id);
      void pass().finally(() => {
        this.running.delete(id);
        this.startPasses();
        if (this.due.size + this.running.size + this.timers.size === 0)
          this.idle.splice(0).forEach((resolve) => resolve());
      });
    }
  }

  private async pass(id: string, reconciler: ClusterReconciler, key: ClusterKey): Promise<void> {
    let againInMs: number | undefined;
    try {
      againInMs = await reconciler.reconcile(key, this.scope);
      this.failures.delete(id);
    } catch (error) {
      if (this.isStopped) return;
      const isRace = hasCode(error, 'Conflict', 'NotFound', 'AlreadyExists');
      if (!isRace) this.scope.logger.error('Reconciling failed', { reconciler: reconciler.name, ...key, error });
      const failures = this.failures.get(id) ?? 0;
      this.failures.set(id, failures + 1);
      againInMs = Math.min(FIRST_RETRY_MS * 2 ** failures, LAST_RETRY_MS);
    }
    if (againInMs !== undefined && !this.isStopped && !this.due.has(id)) this.later(id, reconciler, key, againInMs);
  }

  private later(id: string, reconciler: ClusterReconciler, key: ClusterKey, delayMs: number): void {
    const timer = setTimeout(() => {
      this.timers.delete(id);
      this.add(reconciler, key);
    }, delayMs);
    timer.unref();
    this.timers.set(id, timer);
  }
}
