import { POD, type Pod } from '../kinds/pod.js';
import { REPLICA_SET, type ReplicaSet } from '../kinds/workloads.js';
import type { ClusterKey, ClusterReconciler } from '../runtime/cluster-loop.js';
import type { ClusterScope } from '../runtime/cluster-scope.js';
import { withoutZeros } from './conditions.js';
import { countPods, isActive, leastWorthFirst, podFrom } from './pods.js';
import { randomSuffix } from './template-hash.js';
import { watchOwned } from './watch-owners.js';

/** Keeps as many pods as a ReplicaSet asks for. */
export class ReplicaSetReconciler implements ClusterReconciler {
  readonly name = 'replicaset';
  readonly watches = watchOwned(REPLICA_SET, POD);

  async reconcile(key: ClusterKey, scope: ClusterScope): Promise<undefined> {
    const set = scope.cache.find(REPLICA_SET, key.name, key.namespace);
    if (!set || set.metadata.deletionTimestamp !== undefined) return;
    const pods = scope.cache.ownedBy(POD, set.metadata.uid).filter(isActive);
    await this.scale(set, pods, scope);
    await this.saveStatus(set, scope);
  }

  private async scale(set: ReplicaSet, pods: readonly Pod[], scope: ClusterScope): Promise<void> {
    const missing = set.spec.replicas - pods.length;
    const newPods = Array.from({ length: Math.max(missing, 0) }, () =>
      podFrom(set.spec.template, set, `${set.metadata.name}-${randomSuffix()}`),
    );
    const surplus = [...pods].sort(leastWorthFirst).slice(0, Math.max(-missing, 0));
    await Promise.all([
      ...newPods.map((pod) => scope.create(POD, pod)),
      ...surplus.map((pod) => scope.remove(POD, pod)),
    ]);
  }

  private async saveStatus(set: ReplicaSet, scope: ClusterScope): Promise<void> {
    const { all, ready } = countPods(scope.cache.ownedBy(POD, set.metadata.uid).filter(isActive));
    const counts = { fullyLabeledReplicas: all, readyReplicas: ready, availableReplicas: ready };
    const status = { replicas: all, ...withoutZeros(counts), observedGeneration: set.metadata.generation };
    await scope.update(REPLICA_SET, set, { status });
  }
}
