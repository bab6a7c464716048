import { isPaused, takesAddOns, type KubernetesCluster } from '@crate/api';
import {
  ensureFinalizer,
  gone,
  isNoNews,
  recordDeletion,
  recordPass,
  Reconciler,
  removeFinalizer,
  runPhases,
  SilentEventRecorder,
  StatusRecorder,
  waiting,
  type EventRecorder,
  type Outcome,
  type Pass,
  type Phase,
  type ReconcileContext,
  type ReconcileKey,
} from '@crate/reconcile';
import type { TypedClient } from '@crate/resource-client';
import { clockFor, type Clocks } from '../shared-clock.js';
import { KUBERNETES_CLUSTER_TELLINGS, KUBERNETES_REMOVED, machineEvents } from './kubernetes-cluster.events.js';
import type { KubernetesClusterPhases } from './kubernetes-cluster.phases.js';
import { openScope, type KubernetesClusterScope } from './kubernetes-cluster.scope.js';
import { kubernetesClusterStatus } from './kubernetes-cluster.status.js';

/** Held from before the SSH key is made until nothing of the cluster is left here. */
export const KUBERNETES_CLUSTER_FINALIZER = 'cluster.crate.dev/kubernetesclusters';

/** Name of the reconciler, and with it of its queue. */
export const KUBERNETES_CLUSTER_RECONCILER = 'kubernetes-cluster';

export interface KubernetesClusterReconcilerOptions extends Clocks {
  /** Told when a cluster came to take add-ons, so that what waits for that need not poll. */
  readonly onUsable?: (cluster: KubernetesCluster) => Promise<void>;
  readonly events?: EventRecorder;
  /** From when on it is worth a warning that something is in the way of a deletion. */
  readonly warnAfterMs?: number;
}

/** Moves one Kubernetes cluster one step closer to its spec. Safe to interrupt and repeat. */
export class KubernetesClusterReconciler extends Reconciler {
  override readonly name = KUBERNETES_CLUSTER_RECONCILER;
  private readonly events: EventRecorder;

  constructor(
    private readonly clusters: TypedClient<KubernetesCluster>,
    private readonly phases: KubernetesClusterPhases,
    private readonly options: KubernetesClusterReconcilerOptions = {},
  ) {
    super();
    this.events = options.events ?? new SilentEventRecorder();
  }

  override async reconcile(key: ReconcileKey, context: ReconcileContext): Promise<Outcome> {
    const found = await this.clusters.find(key.name, key.namespace);
    if (!found) return gone; // A finalizer would have kept it.
    if (found.metadata.deletionTimestamp) return this.tearDown(found, context);

    // Claimed before the first side effect, or a delete that races with this pass could leak what it creates.
    const cluster = await ensureFinalizer(this.clusters, found, KUBERNETES_CLUSTER_FINALIZER);
    return this.run(isPaused(cluster) ? this.phases.pause : this.phases.bringUp, cluster, context);
  }

  private async tearDown(cluster: KubernetesCluster, context: ReconcileContext): Promise<Outcome> {
    const outcome = await this.run(this.phases.tearDown, cluster, context);
    if (outcome.kind !== 'settled') return outcome;
    await removeFinalizer(this.clusters, cluster, KUBERNETES_CLUSTER_FINALIZER);
    if (cluster.spec.nodes.length > 0) this.events.record(cluster, KUBERNETES_REMOVED);
    return outcome;
  }

  private async run(
    phases: readonly Phase<KubernetesClusterScope>[],
    cluster: KubernetesCluster,
    context: ReconcileContext,
  ): Promise<Outcome> {
    const now = await clockFor(cluster, this.options);
    const recorder = new StatusRecorder(this.clusters, cluster, context.signal);
    const statusOf = (current: KubernetesClusterScope, pass: Pass): unknown =>
      kubernetesClusterStatus(current, pass, {
        now: now(),
        traceId: context.traceId,
        warnAfterMs: this.options.warnAfterMs ?? Infinity,
      });
    const running: Pass = { ok: true, outcome: waiting('EngineRunning', 0) };
    const scope = openScope(cluster, (current) => recorder.report(() => statusOf(current, running)));

    const pass = await runPhases(phases, scope, context);
    if (!pass.ok && isNoNews(pass.error, context.attempts)) {
      recorder.discard();
      throw pass.error;
    }

    const saved = await recorder.save(statusOf(scope, pass));
    this.tell(cluster, saved, pass, context);
    if (!pass.ok) throw pass.error;
    if (becameUsable(cluster, saved)) await this.options.onUsable?.(saved);
    return pass.outcome;
  }

  private tell(before: KubernetesCluster, after: KubernetesCluster, pass: Pass, { traceId }: ReconcileContext): void {
    for (const event of machineEvents(before, after)) this.events.record(after, { ...event, traceId });
    recordPass(this.events, KUBERNETES_CLUSTER_TELLINGS, { before, after, pass, traceId });
    recordDeletion(this.events, { before, after, traceId });
  }
}

function becameUsable(before: KubernetesCluster, after: KubernetesCluster): boolean {
  return !takesAddOns(before) && takesAddOns(after);
}
