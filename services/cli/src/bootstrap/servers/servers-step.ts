import type { TargetCluster } from '@crate/kubernetes';
import { NAMESPACE } from '@crate/helm-chart';
import { waitUntil } from '../../up/wait.js';
import { withCluster } from '../new-platform.js';
import { applyObjects, readObjects } from '../platform-chart.js';
import { untilAnswering } from '../platform-database.js';
import { refusal } from '../refusal.js';
import type { BootstrapScope } from '../scope.js';
import { writeDurably } from '../durable-file.js';
import { bundledServers } from './bundled-servers.js';
import { natsObjects } from './nats-objects.js';
import { postgresObjects } from './postgres-objects.js';
import { serverImage } from './server-images.js';
import { NATS, POSTGRES } from './server-names.js';
import { storageOf } from './storage.js';
import { ensureServerSecrets } from './server-secrets.js';

/**
 * PostgreSQL and NATS of the platform, as far as they are not somebody else's. Waits until both serve. Throws Conflict (`StorageMissing`) when nothing in the
 * cluster makes volumes, and Timeout (`ServersNotReady`).
 */
export async function servers(scope: BootstrapScope): Promise<void> {
  const { request, dir, say } = scope;
  const wanted = bundledServers(request);
  if (!wanted.postgres && !wanted.nats) return;
  const made = await ensureServerSecrets(dir);
  if (wanted.postgres) await writeDurably(dir.databaseUrl(), made.databaseUrl);
  await withCluster(scope, async (cluster) => {
    // What makes volumes may be among the objects that were given.
    await applyObjects(cluster, [...scope.target.objects, ...(await readObjects(request.objectsFile))], say);
    const storage = wanted.postgres
      ? await storageOf(cluster, request.storageClass ?? scope.target.storageClass)
      : undefined;
    const objects = [
      ...(storage ? postgresObjects(storage, await serverImage('postgres', request)) : []),
      ...(wanted.nats ? natsObjects(made.natsPasswords, await serverImage('nats', request)) : []),
    ];
    await applyObjects(cluster, [...made.secrets, ...objects], say);
    await untilReady(scope, cluster, [...(wanted.postgres ? [POSTGRES] : []), ...(wanted.nats ? [NATS] : [])]);
  });
  if (wanted.postgres) await untilAnswering(scope);
}

async function untilReady(scope: BootstrapScope, cluster: TargetCluster, names: readonly string[]): Promise<void> {
  let waitsFor = names;
  const isReady = async (): Promise<boolean> => {
    const found = await Promise.all(names.map(async (name) => ((await isServing(cluster, name)) ? [] : [name])));
    waitsFor = found.flat();
    return waitsFor.length === 0;
  };
  if (await waitUntil(isReady, scope.request.timeoutMs)) return;
  throw refusal({
    reason: 'ServersNotReady',
    message: `${waitsFor.join(' and ')} in the platform cluster do not become ready`,
    remedy: `See kubectl --kubeconfig ${scope.dir.clusterKubeconfig()} -n ${NAMESPACE} get pods,pvc; then run the command again`,
    code: 'Timeout',
  });
}

async function isServing(cluster: TargetCluster, name: string): Promise<boolean> {
  const set = await cluster.get({ apiVersion: 'apps/v1', kind: 'StatefulSet', name, namespace: NAMESPACE });
  const { replicas } = set['spec'] as { readonly replicas: number };
  const status = (set['status'] ?? {}) as { readonly observedGeneration?: number; readonly readyReplicas?: number };
  return status.observedGeneration === set.metadata.generation && (status.readyReplicas ?? 0) >= replicas;
}
