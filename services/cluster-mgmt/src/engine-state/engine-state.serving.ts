import {
  ENGINE_STATE_VERSION,
  KUBERNETES_CLUSTER,
  type KubeObject,
  type KubernetesCluster,
  type StateLock,
} from '@crate/api';
import type { EventDraft } from '@crate/reconcile';
import type { ResourceApi } from '@crate/resource-client';
import type { ServedKind } from '@crate/resource-server';
import {
  factsAs,
  observeDamagedStates,
  StateVersionApi,
  type Foundation,
  type StateRestored,
  type VersionedStates,
} from '@crate/service-host';
import type { EngineRunRepository } from '../engine/engine-run.repository.js';
import { KUBERNETES_CLUSTER_RECONCILER } from '../kubernetes-cluster/kubernetes-cluster.reconciler.js';
import type { WakeUp } from '../wake-up.js';
import type { EngineLockView } from './engine-lock-view.js';
import { ENGINE_STATE_DAMAGES } from './engine-state-damage.js';
import { EngineStateHistory } from './engine-state-history.js';

export interface EngineStateServing {
  readonly kind: ServedKind;
  /** `lock` of a KubernetesCluster: who works on it; nothing when nobody does. */
  readonly readLock: (cluster: KubeObject) => Promise<StateLock | Record<string, never>>;
}

/** The versions of engine states as a kind, and who works on them. */
export function serveEngineStates(
  { api, clients, secrets, events, metrics }: Pick<Foundation, 'api' | 'clients' | 'secrets' | 'events' | 'metrics'>,
  {
    runs,
    locks,
    wakeUp,
  }: { readonly runs: EngineRunRepository; readonly locks: EngineLockView; readonly wakeUp: WakeUp },
): EngineStateServing {
  observeDamagedStates(metrics, clients.for(KUBERNETES_CLUSTER), ENGINE_STATE_DAMAGES);
  const history = new EngineStateHistory({ secrets, runs, locks });
  const onRestore = async (cluster: KubernetesCluster, restored: StateRestored): Promise<void> => {
    events.recorder.record(cluster, stateRestored(restored));
    const { namespace = '', name } = cluster.metadata;
    await wakeUp.wake({ reconciler: KUBERNETES_CLUSTER_RECONCILER, kind: KUBERNETES_CLUSTER }, [{ namespace, name }]);
  };
  return {
    kind: {
      definition: ENGINE_STATE_VERSION,
      api: new StateVersionApi(versionedEngineStates(api, history), onRestore),
    },
    readLock: async (cluster) => (await locks.current(cluster as KubernetesCluster)) ?? {},
  };
}

/** Engine states of KubernetesClusters, as versions are served. */
export function versionedEngineStates(
  owners: ResourceApi,
  history: Pick<EngineStateHistory, 'list' | 'diff' | 'restore'>,
): VersionedStates<KubernetesCluster> {
  return {
    definition: ENGINE_STATE_VERSION,
    owner: KUBERNETES_CLUSTER,
    owners,
    ownerField: 'clusterRef',
    list: ({ metadata }) => history.list(metadata.uid),
    describe: (facts) =>
      factsAs(facts, {
        lineage: 'lineage',
        kubernetesVersion: 'version',
        nodes: 'nodes',
        certificates: 'certificates',
      }),
    diff: ({ metadata }, from, to) => history.diff(metadata.uid, from, to),
    restore: (cluster, serial, edit) => history.restore(cluster, serial, edit),
  };
}

function stateRestored({ from, serial, by, reason }: StateRestored): EventDraft {
  const message = `${by} restored version ${from} of the engine state as version ${serial}: ${reason}`;
  return { type: 'Warning', reason: 'StateRestored', message };
}
