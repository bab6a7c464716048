import {
  apiVersionOf,
  CLOUD_ACCOUNT,
  CLUSTER,
  CONFIRM_ANNOTATION,
  INFRASTRUCTURE,
  sweepReport,
  type Cluster,
  type Infrastructure,
} from '@crate/api';
import { goneOne, untilGone } from '../objects/deletion.js';
import type { ApiClient } from '../client/api-client.js';
import { longestKubeconfigPath } from '../clusters/longest-kubeconfig.js';
import { objectPath, subresourcePath } from '../objects/object-path.js';
import { waitUntil } from '../up/wait.js';
import { refusal } from './refusal.js';
import { PLATFORM_ACCOUNT, PLATFORM_PROJECT } from './request.js';

/** Services that a move ended or let go on are back within this time. */
const BACK_TIMEOUT_MS = 120_000;
/** Listings of clouds lag behind. */
const LISTING_TIMEOUT_MS = 300_000;

/** What the cloud itself says of an account once everything is taken away. */
export interface EmptinessProof {
  readonly at: string;
  readonly account: string;
  /** Where was looked. */
  readonly regions: readonly string[];
  /** Resources with tags of this installation. */
  readonly left: number;
  /** Those of other installations in the account, which are none of our business. */
  readonly others: number;
}

/** Path of the platform cluster in an API. */
export function platformClusterPath(name: string): string {
  return objectPath({ kind: CLUSTER, name }, PLATFORM_PROJECT);
}

/** Path of a kubeconfig of the platform cluster that is good for as long as one may be: whoever mends the platform with it can get no other then. */
export function platformKubeconfigPath(name: string): string {
  return longestKubeconfigPath(platformClusterPath(name));
}

/** Addresses that pods of the platform cluster come from, seen from outside of its network; none where its cloud says none. */
export async function egressAddresses(api: ApiClient, name: string): Promise<readonly string[]> {
  const path = objectPath({ kind: INFRASTRUCTURE, name }, PLATFORM_PROJECT);
  const found = await api.find<Infrastructure>(path);
  return found?.status?.outputs?.egressAddresses ?? [];
}

/** `project/name` of all clusters but the platform's own. */
export async function otherClusters(api: ApiClient, own: string): Promise<readonly string[]> {
  const { items } = await api.get<{ items: readonly Cluster[] }>(`/apis/${apiVersionOf(CLUSTER)}/${CLUSTER.plural}`);
  const names = items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
  return names.filter((name) => name !== `${PLATFORM_PROJECT}/${own}`);
}

/** Waits for an API that a move has closed or opened; what asks it next says what is wrong if it stays away. */
export async function untilBack(api: ApiClient): Promise<void> {
  await waitUntil(() => api.isReady(), BACK_TIMEOUT_MS);
}

/** Deletes clusters, named `project/name`, and waits until the platform has seen that nothing of them is left. Idempotent. */
export async function deleteClusters(api: ApiClient, names: readonly string[], timeoutMs: number): Promise<void> {
  const gone = [];
  for (const each of names) {
    const [namespace = '', name = ''] = each.split('/');
    const path = objectPath({ kind: CLUSTER, name }, namespace);
    const found = await api.find<Cluster>(path);
    if (!found) continue;
    const { uid } = found.metadata;
    await api.removeExisting(path, { uid });
    gone.push(goneOne(`cluster/${name}`, path, uid));
  }
  await untilGone(api, gone, timeoutMs);
}

/** Deletes the cluster of the platform, which the person has confirmed by its name, and waits as `deleteClusters`. Idempotent. */
export async function deletePlatformCluster(api: ApiClient, name: string, timeoutMs: number): Promise<void> {
  const path = platformClusterPath(name);
  const found = await api.find<Cluster>(path);
  if (found?.spec.deletionProtection && found.metadata.deletionTimestamp === undefined) {
    // A confirmation of an earlier run may have grown old: it counts from when it is set anew.
    for (const value of [null, name])
      await api.merge(path, { metadata: { annotations: { [CONFIRM_ANNOTATION]: value } } });
  }
  await deleteClusters(api, [`${PLATFORM_PROJECT}/${name}`], timeoutMs);
}

/** Has the cloud look for what carries tags of this installation. Throws Conflict (`NotEmpty`) that names what is left. */
export async function proveEmpty(api: ApiClient, account: string): Promise<EmptinessProof> {
  const path = subresourcePath({ kind: CLOUD_ACCOUNT, name: PLATFORM_ACCOUNT }, PLATFORM_PROJECT, 'sweep');
  let report = sweepReport.parse(await api.get(path));
  const isEmpty = async (): Promise<boolean> => {
    report = sweepReport.parse(await api.get(path));
    return report.listed === report.others;
  };
  const hasEmptied = await waitUntil(isEmpty, LISTING_TIMEOUT_MS);
  const { regions, listed, others, findings } = report;
  if (hasEmptied) return { at: new Date().toISOString(), account, regions, left: listed - others, others };
  const named = findings.slice(0, 5).map(({ type, id }) => `${type} ${id}`);
  throw refusal({
    reason: 'NotEmpty',
    message: `The account still has what carries tags of this installation: ${named.join(', ')}`,
    remedy: 'Look at it in the console of the cloud, remove what is in the way, and run the command again',
  });
}
