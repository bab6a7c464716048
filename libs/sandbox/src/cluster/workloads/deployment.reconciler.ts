import { DEPLOYMENT, REPLICA_SET, type Deployment, type ReplicaSet } from '../kinds/workloads.js';
import type { ClusterKey, ClusterReconciler } from '../runtime/cluster-loop.js';
import type { ClusterScope, NewObject } from '../runtime/cluster-scope.js';
import { planRollout, type RolloutSet } from './deployment-rollout.js';
import { deploymentStatus } from './deployment.status.js';
import { controllerReference } from './pods.js';
import { templateHash } from './template-hash.js';
import { watchOwned } from './watch-owners.js';

const HASH_LABEL = 'pod-template-hash';
const REVISION = 'deployment.kubernetes.io/revision';

/** Rolls a Deployment's pods from one template to the next by scaling ReplicaSets. */
export class DeploymentReconciler implements ClusterReconciler {
  readonly name = 'deployment';
  readonly watches = watchOwned(DEPLOYMENT, REPLICA_SET);

  async reconcile(key: ClusterKey, scope: ClusterScope): Promise<undefined> {
    const found = scope.cache.find(DEPLOYMENT, key.name, key.namespace);
    if (!found || found.metadata.deletionTimestamp !== undefined) return;
    const hash = templateHash(found.spec.template);
    if (!found.spec.paused) await this.ensureCurrent(found, hash, scope);

    const sets = scope.cache.ownedBy(REPLICA_SET, found.metadata.uid);
    const current = sets.find((set) => set.metadata.labels?.[HASH_LABEL] === hash);
    await this.scale(found, sets, current, scope);
    await this.removeHistory(found, sets, current, scope);

    const after = scope.cache.ownedBy(REPLICA_SET, found.metadata.uid);
    const metadata = withRevision(found, current ?? newest(after));
    const newSet = after.find((set) => set.metadata.uid === current?.metadata.uid);
    const status = deploymentStatus(found, newSet, after, scope.now());
    await scope.update(DEPLOYMENT, found, { metadata, status });
  }

  private async ensureCurrent(deployment: Deployment, hash: string, scope: ClusterScope): Promise<void> {
    const sets = scope.cache.ownedBy(REPLICA_SET, deployment.metadata.uid);
    const revision = Math.max(0, ...sets.map(revisionOf)) + 1;
    const existing = sets.find((set) => set.metadata.labels?.[HASH_LABEL] === hash);
    if (!existing) {
      await scope.create(REPLICA_SET, replicaSetOf(deployment, hash, revision));
      return;
    }
    // Going back to an earlier template makes it the newest revision.
    if (revisionOf(existing) === revision - 1) return;
    const annotations = { ...existing.metadata.annotations, [REVISION]: String(revision) };
    await scope.update(REPLICA_SET, existing, { metadata: { ...existing.metadata, annotations } });
  }

  private async scale(
    deployment: Deployment,
    sets: readonly ReplicaSet[],
    current: ReplicaSet | undefined,
    scope: ClusterScope,
  ): Promise<void> {
    const plan = planRollout(
      deployment.spec,
      sets.map((set) => rolloutSet(set, set === current)),
    );
    await Promise.all(
      sets.map(async (set) => {
        const replicas = plan.get(set.metadata.name) ?? set.spec.replicas;
        await scope.update(REPLICA_SET, set, { spec: { ...set.spec, replicas } });
      }),
    );
  }

  private async removeHistory(
    deployment: Deployment,
    sets: readonly ReplicaSet[],
    current: ReplicaSet | undefined,
    scope: ClusterScope,
  ): Promise<void> {
    const old = sets.filter((set) => set !== current && set.spec.replicas === 0 && !set.status?.replicas);
    const oldestFirst = old.sort((a, b) => revisionOf(a) - revisionOf(b));
    const surplus = oldestFirst.slice(0, Math.max(0, old.length - deployment.spec.revisionHistoryLimit));
    await Promise.all(surplus.map((set) => scope.remove(REPLICA_SET, set)));
  }
}

function replicaSetOf(deployment: Deployment, hash: string, revision: number): NewObject<ReplicaSet> {
  const { template, selector } = deployment.spec;
  const labels = { ...template.metadata?.labels, [HASH_LABEL]: hash };
  return {
    metadata: {
      name: `${deployment.metadata.name}-${hash}`,
      namespace: deployment.metadata.namespace ?? '',
      labels,
      annotations: { [REVISION]: String(revision) },
      ownerReferences: [controllerReference(deployment)],
    },
    spec: {
      replicas: 0,
      selector: { ...selector, matchLabels: { ...selector.matchLabels, [HASH_LABEL]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}

function rolloutSet(set: ReplicaSet, isCurrent: boolean): RolloutSet {
  const { replicas = 0, availableReplicas = 0 } = set.status ?? {};
  return {
    name: set.metadata.name,
    isCurrent,
    desired: set.spec.replicas,
    running: replicas,
    available: availableReplicas,
  };
}

function withRevision(deployment: Deployment, set: ReplicaSet | undefined): Deployment['metadata'] {
  const revision = set?.metadata.annotations?.[REVISION];
  const { annotations } = deployment.metadata;
  if (revision === undefined || annotations?.[REVISION] === revision) return deployment.metadata;
  return { ...deployment.metadata, annotations: { ...annotations, [REVISION]: revision } };
}

function newest(sets: readonly ReplicaSet[]): ReplicaSet | undefined {
  return [...sets].sort((a, b) => revisionOf(b) - revisionOf(a))[0];
}

function revisionOf(set: ReplicaSet): number {
  return Number(set.metadata.annotations?.[REVISION] ?? 0);
}
