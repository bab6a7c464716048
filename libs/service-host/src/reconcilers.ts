import { once } from 'node:events';
import type { KubeObject } from '@crate/api';
import { UNCHANGED, type ChangeHint } from '@crate/messaging';
import type { ReconcileEngine, ReconcileKey } from '@crate/reconcile';
import type { ChangeNotice } from '@crate/resource-store';
import { EssentialNews } from './essential-news.js';
import { followForeignKind, type ForeignChange } from './foreign-watch.js';
import type { Foundation } from './foundation.js';
import { GatheredKeys } from './gathered-keys.js';
import type { ReconcilerHints, ReconcilerWatch, RegisteredReconciler } from './service-parts.js';

/**
 * A change that every replica hears of, and those that follow at once, are one pass: who enqueues a key that is to be due sooner changes nothing. Were
 * it due at once, its pass would have begun when the next replica tells of the same change. ADR 0457
 */
const HEARD_BY_ALL_MS = 50;

/** What passes only show need not be newer than that; the queue makes one pass of all until then, and of what they go by in between. */
const SHOWN_MS = 2_000;

/**
 * Makes changes due work. A change of a reconciler's own kind makes its key due in the same transaction; watched
 * kinds do so when their change is heard of, and if that is missed, when the waiting key looks again by itself.
 */
export class ReconcilerWakes {
  private readonly stopping = new AbortController();
  private readonly undo: (() => void)[] = [];
  private readonly watches: Promise<void>[] = [];
  /** Reconcilers whose keys become due in a moment, and in which. */
  private readonly alarms = new Set<string>();

  constructor(
    private readonly foundation: Foundation,
    private readonly engine: ReconcileEngine,
    private readonly reconcilers: readonly RegisteredReconciler[],
  ) {}

  start(): void {
    const { store, hints, service } = this.foundation;
    this.undo.push(
      store.onChange((notices, origin) => this.onCommit(notices, origin)),
      hints.subscribe((hint) => this.onHint(hint, service)),
    );
    for (const { reconciler, watches = [], hints: heard } of this.reconcilers) {
      if (heard) this.undo.push(this.listen(reconciler.name, heard));
      for (const watch of watches) this.watches.push(this.follow(reconciler.name, watch));
    }
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    for (const undo of this.undo) undo();
    await Promise.all(this.watches);
  }

  private onCommit(notices: readonly ChangeNotice[], origin: 'local' | 'remote'): void {
    this.wakeFor(notices.map(({ key }) => key));
    if (origin === 'remote') return;
    const { hints, service } = this.foundation;
    hints.publish(
      notices.map(({ key, revision }) => ({
        service,
        revision,
        group: key.group,
        kind: key.kind,
        namespace: key.namespace,
        name: key.name,
      })),
    );
  }

  /** Keys of these kinds are due, of their own reconcilers; for others there is nothing to look for. */
  private wakeFor(kinds: readonly Pick<ChangeHint, 'group' | 'kind'>[]): void {
    for (const { reconciler, kind: own } of this.reconcilers)
      if (kinds.some(({ group, kind }) => group === own.group && kind === own.kind)) this.engine.wake(reconciler.name);
  }

  private onHint(hint: ChangeHint, service: string): void {
    if (hint.service !== service) return;
    if (hint.revision === UNCHANGED) this.wakeFor([hint]);
    // What the store finds new it tells, which wakes the engine: most hints are of this process's own commits.
    else this.foundation.store.notify(hint.revision);
  }

  /** Looks into what is heard of elsewhere. */
  private listen(reconciler: string, { kinds, keysOf, gatherMs }: ReconcilerHints): () => void {
    const { hints, logger } = this.foundation;
    const { signal } = this.stopping;
    // By namespace: several hints on one are one look.
    const enqueue = async (namespaces: readonly ReconcileKey[]): Promise<void> =>
      this.enqueue(reconciler, await keysOf(namespaces.map(({ namespace }) => namespace)));
    const gathered = new GatheredKeys({ enqueue, gatherMs, logger, signal });
    this.watches.push(untilAborted(signal).then(() => gathered.idle()));
    return hints.subscribe(({ group, kind, namespace }) => {
      if (kinds.some((each) => each.group === group && each.kind === kind)) gathered.add([{ namespace, name: '' }]);
    });
  }

  private async follow(reconciler: string, { kind, keysOf, essenceOf, gatherMs = 0 }: ReconcilerWatch): Promise<void> {
    const { clients, logger } = this.foundation;
    const { signal } = this.stopping;
    const enqueue = (keys: readonly ReconcileKey[]): Promise<void> => this.enqueue(reconciler, keys);
    const gathered = new GatheredKeys({ enqueue, gatherMs, logger, signal });
    const news = essenceOf && new EssentialNews(essenceOf);
    const onObject = async (object: KubeObject, change: ForeignChange): Promise<void> => {
      const keys = await keysOf(object, change);
      if (gatherMs > 0) return gathered.add(keys);
      if (!news) return enqueue(keys);
      await news.tell(object, change, (isShownOnly) =>
        this.enqueue(reconciler, keys, isShownOnly ? SHOWN_MS : HEARD_BY_ALL_MS),
      );
    };
    await followForeignKind({ kind, client: clients.for(kind), logger, signal, onObject });
    await gathered.idle();
  }

  private async enqueue(reconciler: string, keys: readonly ReconcileKey[], delayMs = HEARD_BY_ALL_MS): Promise<void> {
    if (keys.length === 0) return;
    await this.foundation.queue.enqueue(reconciler, keys, delayMs);
    this.wakeOnceDue(reconciler, delayMs);
  }

  /** One look for all of a time; when it leaves some that are due a little later, the engine knows when. */
  private wakeOnceDue(reconciler: string, delayMs: number): void {
    const alarm = `${reconciler} ${delayMs}`;
    if (this.alarms.has(alarm)) return;
    this.alarms.add(alarm);
    const ring = (): void => {
      this.alarms.delete(alarm);
      this.engine.wake(reconciler);
    };
    setTimeout(ring, delayMs).unref();
  }
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}
