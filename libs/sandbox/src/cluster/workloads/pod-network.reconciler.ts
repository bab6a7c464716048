import { ENDPOINTS, SERVICE } from '../kinds/service.js';
import type { ClusterKey, ClusterReconciler, KeysOf } from '../runtime/cluster-loop.js';
import type { ClusterScope } from '../runtime/cluster-scope.js';
import { collectionKey } from '../runtime/object-cache.js';

/** All names are looked at together. */
const ALL: readonly ClusterKey[] = [{ namespace: '', name: 'services' }];

const whenNeeded: KeysOf = (_change, { pods }) => (pods?.network.isInUse ? ALL : []);

/** Plays the cluster's DNS and kube-proxy for pods that are processes: names of Services, and what they lead to, follow the objects. */
export class PodNetworkReconciler implements ClusterReconciler {
  readonly name = 'pod-network';
  readonly watches: ReadonlyMap<string, KeysOf> = new Map([
    [collectionKey(SERVICE), whenNeeded],
    [collectionKey(ENDPOINTS), whenNeeded],
  ]);

  async reconcile(_key: ClusterKey, scope: ClusterScope): Promise<undefined> {
    await scope.pods?.network.follow(scope);
  }
}
