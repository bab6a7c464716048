import { isExisting, isPaused, type AddOnInstallation, type Infrastructure, type KubernetesCluster } from '@crate/api';
import { hasCode } from '@crate/errors';
import { hasFinalizer, runPhases, settled, type Outcome, type Pass, type Phase } from '@crate/reconcile';
import type { TypedClient } from '@crate/resource-client';
import { findChild, listChildren, pauseChild, resumeChild, stateChild } from '../cluster.children.js';
import { CLUSTER_FINALIZER } from '../cluster.reconciler.js';
import type { ClusterScope } from '../cluster.scope.js';

/**
 * Has the parts of a cluster begin nothing while it is paused, and looks at them. Each goes on once the first pass after the pause
 * has seen to it that it says what is asked for.
 */
export class PausePhase {
  constructor(
    private readonly infrastructures: TypedClient<Infrastructure>,
    private readonly kubernetesClusters: TypedClient<KubernetesCluster>,
    private readonly installations: TypedClient<AddOnInstallation>,
  ) {}

  readonly run = async (scope: ClusterScope): Promise<Outcome> => {
    // The finalizer comes before the first child: without it there is nothing to look for.
    if (!hasFinalizer(scope.cluster, CLUSTER_FINALIZER)) return settled;
    // Each is told, whoever does not answer for another.
    await all([this.pauseInfrastructure(scope), this.pauseKubernetes(scope), this.pauseAddOns(scope)]);
    return settled;
  };

  /**
   * A phase that keeps the pass from telling the KubernetesCluster anew while it waits, or nobody answers it: that goes on with what it was told
   * last, as one that was never paused does. It may be what the phase waits for.
   */
  readonly over =
    (phase: Phase<ClusterScope>): Phase<ClusterScope> =>
    async (scope, context) => {
      await this.takeUpgradeBack(scope);
      const pass = await runPhases([phase], scope, context);
      if (isHeldUp(pass)) await this.resumeKubernetes(scope);
      if (!pass.ok) throw pass.error;
      return pass.outcome;
    };

  private async pauseInfrastructure(scope: ClusterScope): Promise<void> {
    const { cluster } = scope;
    const found = isExisting(cluster)
      ? undefined
      : await findChild(this.infrastructures, cluster, cluster.metadata.name);
    if (found) scope.infrastructure = await pauseChild(this.infrastructures, found);
  }

  private async pauseKubernetes(scope: ClusterScope): Promise<void> {
    const { cluster } = scope;
    const found = await findChild(this.kubernetesClusters, cluster, cluster.metadata.name);
    if (found) scope.kubernetes = await pauseChild(this.kubernetesClusters, found);
  }

  private async pauseAddOns(scope: ClusterScope): Promise<void> {
    const found = await listChildren(this.installations, scope.cluster);
    scope.installations = await all(found.map((installation) => pauseChild(this.installations, installation)));
  }

  private async resumeKubernetes(scope: ClusterScope): Promise<void> {
    if (scope.kubernetes) scope.kubernetes = await resumeChild(this.kubernetesClusters, scope.kubernetes);
  }

  /** An upgrade that was told before the pause, and taken back in it, would begin as soon as Kubernetes goes on. */
  private async takeUpgradeBack(scope: ClusterScope): Promise<void> {
    const { cluster, kubernetes } = scope;
    const { version } = cluster.spec.kubernetes;
    if (!kubernetes || !isPaused(kubernetes)) return;
    if (kubernetes.spec.version === version || kubernetes.status?.version !== version) return;
    const spec = { ...kubernetes.spec, version };
    scope.kubernetes = await stateChild(this.kubernetesClusters, scope, cluster.metadata.name, spec);
  }
}

function isHeldUp(pass: Pass): boolean {
  return pass.ok ? pass.outcome.kind === 'waiting' : hasCode(pass.error, 'Unavailable', 'Timeout');
}

/** Waits for all of them before it throws what the first that failed did. */
async function all<T>(doings: readonly Promise<T>[]): Promise<readonly T[]> {
  await Promise.allSettled(doings);
  return Promise.all(doings);
}
