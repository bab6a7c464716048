import { KUBERNETES_CLUSTER, type KubeObject, type KubernetesCluster } from '@crate/api';
import type { TypedClient } from '@crate/resource-client';
import type { ServedKind } from '@crate/resource-server';
import { isWorkAhead, type RunLogs } from '@crate/run-log';
import type { SecretStore } from '@crate/secrets';
import type { EngineRunRepository } from '../engine/engine-run.repository.js';
import type { AdminBinding } from './admin-binding.js';
import { kubeconfigReader } from './kubeconfig.subresource.js';

export interface KubernetesClusterServingParts {
  readonly clusters: Pick<TypedClient<KubernetesCluster>, 'find'>;
  readonly runs: EngineRunRepository;
  readonly logs: RunLogs;
  readonly secrets: SecretStore;
  readonly admins: Pick<AdminBinding, 'keep'>;
  /** Who works on the cluster with its engine. */
  readonly readLock: (cluster: KubeObject) => Promise<unknown>;
}

/** The kind as it is served, with what its engine runs printed. */
export function serveKubernetesClusters(parts: KubernetesClusterServingParts): ServedKind {
  const { clusters, runs, logs, secrets, admins, readLock } = parts;
  return {
    definition: KUBERNETES_CLUSTER,
    subresources: {
      kubeconfig: kubeconfigReader({ secrets, admins }),
      lock: { read: readLock },
      logs: {
        readLog: ({ metadata: { uid } }, { name, namespace }, options, { signal }) => {
          const isOver = async (): Promise<boolean> => {
            const found = await clusters.find(name, namespace);
            if (found && isWorkAhead(found)) return false;
            return (await runs.list(uid)).every(({ state }) => state !== 'running');
          };
          return logs.read(uid, { ...options, isOver, signal });
        },
      },
    },
  };
}
