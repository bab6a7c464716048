import type { Cluster } from '@crate/api';
import {
  ensureFinalizer,
  gone,
  hasFinalizer,
  isNoNews,
  recordPass,
  Reconciler,
  removeFinalizer,
  runPhases,
  saveStatusIfChanged,
  SilentEventRecorder,
  type EventRecorder,
  type Outcome,
  type Pass,
  type Phase,
  type ReconcileContext,
  type ReconcileKey,
} from '@crate/reconcile';
import type { TypedClient } from '@crate/resource-client';
import { recordClusterDeletion } from './cluster.deletion.js';
import { CLUSTER_DELETED, CLUSTER_TELLINGS } from './cluster.events.js';
import { openScope, type ClusterScope } from './cluster.scope.js';
import { clusterStatus } from './cluster.status.js';
import type { JourneyMetrics } from './journey-metrics.js';
import { withPatience } from './phases/child-patience.js';

/** Held from before the first child is made until the last one is proven gone. */
export const CLUSTER_FINALIZER = 'lifecycle.crate.dev/clusters';

/** The journey there and back, as ordered lists of phases. */
export interface ClusterPhases {
  readonly bringUp: readonly Phase<ClusterScope>[];
  /** While nothing may be changed. */
  readonly pause: readonly Phase<ClusterScope>[];
  readonly tearDown: readonly Phase<ClusterScope>[];
  /** Once there is no such cluster any more, however it went. */
  readonly afterwards?: (key: ReconcileKey, context: ReconcileContext) => Promise<void>;
}

export interface ClusterReconcilerOptions {
  readonly events?: EventRecorder;
  readonly now?: () => Date;
  /** From when on it is worth a warning that something is in the way of a deletion. */
  readonly warnAfterMs?: number;
  /** Told how clusters come and go. */
  readonly journeys?: JourneyMetrics;
}

/** Moves one cluster one step closer to its spec. Safe to interrupt and repeat. */
export class ClusterReconciler extends Reconciler {
  readonly name = 'cluster';
  private readonly events: EventRecorder;

  constructor(
    private readonly clusters: TypedClient<Cluster>,
    private readonly phases: ClusterPhases,
    private readonly options: ClusterReconcilerOptions = {},
  ) {
    super();
    this.events = options.events ?? new SilentEventRecorder();
  }

  async reconcile(key: ReconcileKey, context: ReconcileContext): Promise<Outcome> {
    const found = await this.clusters.find(key.name, key.namespace);
    // A finalizer would have kept what anything was made for; a paused one may never have had it.
    if (!found) {
      await this.phases.afterwards?.(key, context);
      return gone;
    }

    if (found.metadata.deletionTimestamp) return this.tearDown(found, context);
    if (found.spec.paused) {
      return this.run(this.phases.pause, found, context);
    }

    // Claim the record before the first side effect, or a delete that races
    // with this pass could drop the row and leak what we are about to create.
    const cluster = await ensureFinalizer(this.clusters, found, CLUSTER_FINALIZER);
    return this.run(this.phases.bringUp, cluster, context);
  }

  private async tearDown(cluster: Cluster, context: ReconcileContext): Promise<Outcome> {
    const outcome = await this.run(this.phases.tearDown, cluster, context);
    if (outcome.kind !== 'settled') return outcome;
    // Somebody else's finalizer may keep it on show: what is done is told once.
    if (!hasFinalizer(cluster, CLUSTER_FINALIZER)) return outcome;
    await removeFinalizer(this.clusters, cluster, CLUSTER_FINALIZER);
    this.events.record(cluster, CLUSTER_DELETED);
    this.options.journeys?.gone(cluster);
    return outcome;
  }

  private async run(
    phases: readonly Phase<ClusterScope>[],
    cluster: Cluster,
    context: ReconcileContext,
  ): Promise<Outcome> {
    const scope = openScope(cluster);
    const pass = await runPhases(phases, scope, context);
    if (!pass.ok && isNoNews(pass.error, context.attempts)) throw pass.error;

    // Status is written once, whatever happened, so users see failures too.
    const now = this.options.now?.() ?? new Date();
    const saved = await this.record(scope, pass, { traceId: context.traceId, now });
    if (!pass.ok) throw pass.error;
    return withPatience(pass.outcome, saved, now);
  }

  private async record(
    scope: ClusterScope,
    pass: Pass,
    { traceId, now }: { readonly traceId: string; readonly now: Date },
  ): Promise<Cluster> {
    const before = scope.cluster;
    const status = clusterStatus(scope, pass, { now, traceId, warnAfterMs: this.options.warnAfterMs ?? Infinity });
    const after = await saveStatusIfChanged(this.clusters, before, status);
    // What a child failed of is told by the child.
    recordPass(this.events, CLUSTER_TELLINGS, { before, after, pass, traceId, isFailureKnown: pass.ok });
    this.options.journeys?.passed(before, after);
    recordClusterDeletion(this.events, { before, after, traceId });
    return after;
  }
}
