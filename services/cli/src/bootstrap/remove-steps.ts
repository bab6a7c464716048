import { rm } from 'node:fs/promises';
import { isPlatformError } from '@crate/errors';
import { NAMESPACE, RELEASE, type KubernetesSecret } from '@crate/helm-chart';
import type { TargetCluster } from '@crate/kubernetes';
import type { ApiClient } from '../client/api-client.js';
import { currentApi } from '../kubeconfig/current-api.js';
import { pivotOrActAgain } from '../pivot/pivot-or-act-again.js';
import { keysDirectory } from '../secrets/encryption-keys.js';
import { findText } from '../up/secret-file.js';
import { SERVICE_ORDER } from '../up/service-order.js';
import { singleton } from './bootstrap-steps.js';
import { writeDurably } from './durable-file.js';
import { getPlatform, withCluster } from './new-platform.js';
import {
  deleteClusters,
  deletePlatformCluster,
  otherClusters,
  platformKubeconfigPath,
  proveEmpty,
  untilBack,
} from './platform-cluster.js';
import { withPlatformSide } from './platform-database-url.js';
import { dropInstallation } from './platform-database.js';
import { refusal } from './refusal.js';
import { findReleaseSecrets, nameOf, writeKeyFiles } from './release-secrets.js';
import type { Step } from './run-steps.js';
import type { BootstrapScope } from './scope.js';

/** What a removal works with besides. */
export interface RemovalScope extends BootstrapScope {
  /** An administrator's, of the platform in the cluster; absent: the first one's. */
  readonly kubeconfig?: string;
  /** Deletes all other clusters first. */
  readonly withClusters: boolean;
}

/** What a removal goes through: the bootstrap backwards, since a platform cannot delete the cluster that it runs in. */
export const REMOVE_STEPS: readonly Step<RemovalScope>[] = [
  { name: 'clusters', done: 'No other cluster is left', run: clusters },
  { name: 'keys', done: 'The keys of the platform are at hand', run: keys },
  { name: 'singleton', done: 'A temporary platform runs on this machine', until: 'proof', run: singleton },
  { name: 'pivot', done: 'It has taken over everything', run: takeOver },
  { name: 'stop', done: 'The platform in the cluster has ended', run: stop },
  { name: 'cluster', done: 'The platform cluster is gone', run: cluster },
  { name: 'proof', done: 'The cloud says that nothing is left', run: prove },
  { name: 'end', done: 'Nothing runs here any more', run: end },
];

/** Throws Conflict (`ClustersLeft`) when others than the platform's own are there and may not go. */
async function clusters(scope: RemovalScope): Promise<void> {
  await deleteOthers(scope, await platformApi(scope));
}

/** A bootstrap that did not come to its end has left no kubeconfig of the administrator, and still has what lets one in. */
async function platformApi(scope: RemovalScope): Promise<ApiClient> {
  const { dir, kubeconfig } = scope;
  if (kubeconfig !== undefined) return currentApi({ kubeconfigs: [kubeconfig] });
  const isUnderWay = (await findText(dir.adminKubeconfig())) === undefined && (await findReleaseSecrets(dir));
  return isUnderWay ? (await getPlatform(scope)).api : currentApi({ kubeconfigs: [dir.adminKubeconfig()] });
}

async function deleteOthers({ request, withClusters }: RemovalScope, api: ApiClient): Promise<void> {
  const others = await otherClusters(api, request.name);
  if (others.length > 0 && !withClusters) throw clustersLeft(others);
  await deleteClusters(api, others, request.timeoutMs);
}

async function keys(scope: RemovalScope): Promise<void> {
  const { request, dir } = scope;
  const text = await (await platformApi(scope)).kubeconfig(platformKubeconfigPath(request.name));
  await writeDurably(dir.clusterKubeconfig(), text);
  await fetchKeys(scope);
}

/** As the cluster has them now: they may have been rotated since. Those that were fetched before stay. */
async function fetchKeys(scope: RemovalScope): Promise<void> {
  await writeKeyFiles(scope.dir.keys(), await withCluster(scope, async (found) => encryptionSecrets(found)));
}

async function takeOver(scope: RemovalScope): Promise<void> {
  const { request, singleton: own, say } = scope;
  await fetchKeys(scope).catch((error: unknown) => {
    if (!isPlatformError(error)) throw error;
    say(`Going on with the keys fetched before: ${error.message}`);
  });
  const { drainTimeoutMs } = request;
  await withPlatformSide(scope, (from) => pivotOrActAgain({ from, to: own.side, drainTimeoutMs, say }));
}

/** It does not act any more; its processes go as well. */
async function stop(scope: RemovalScope): Promise<void> {
  await withCluster(scope, async (found) => {
    for (const service of SERVICE_ORDER) {
      const name = `${RELEASE}-${service}`;
      await found.remove({ apiVersion: 'apps/v1', kind: 'StatefulSet', name, namespace: NAMESPACE });
    }
  });
}

/** Others as well, if somebody made one while the platform still took wishes. */
async function cluster(scope: RemovalScope): Promise<void> {
  const { request, singleton: own } = scope;
  const api = await own.api();
  await untilBack(api);
  await deleteOthers(scope, api);
  await deletePlatformCluster(api, request.name, request.timeoutMs);
}

async function prove({ request, dir, singleton: own }: RemovalScope): Promise<void> {
  const proof = await proveEmpty(await own.api(), request.account);
  await writeDurably(dir.proof(), `${JSON.stringify(proof, undefined, 2)}\n`);
}

async function end({ request, dir, singleton: own }: RemovalScope): Promise<void> {
  await own.end();
  await dropInstallation(dir, request);
  await dir.forgetSecrets();
  // Their databases are kept, for what they tell: what is secret in them opens no more.
  for (const kept of [dir.singleton, dir.removal]) {
    for (const service of SERVICE_ORDER) await rm(keysDirectory(kept, service), { recursive: true, force: true });
  }
}

async function encryptionSecrets(found: TargetCluster): Promise<KubernetesSecret[]> {
  const secrets = [];
  for (const service of SERVICE_ORDER) {
    const name = nameOf(service, 'encryption');
    const secret = await found.get({ apiVersion: 'v1', kind: 'Secret', name, namespace: NAMESPACE });
    const data = Object.entries((secret['data'] ?? {}) as Readonly<Record<string, string>>);
    const stringData = Object.fromEntries(data.map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]));
    secrets.push({
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'Opaque',
      metadata: { name, namespace: NAMESPACE },
      stringData,
    } as const);
  }
  return secrets;
}

function clustersLeft(names: readonly string[]): Error {
  return refusal({
    reason: 'ClustersLeft',
    message: `The platform still has ${names.slice(0, 10).join(', ')}${names.length > 10 ? ` and ${names.length - 10} more` : ''}`,
    remedy: 'Delete them with "crate clusters delete", or have all of them deleted with --with-clusters',
  });
}
