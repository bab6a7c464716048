import type { KubeObject } from '@crate/api';
import { isKindNotServed, type TargetCluster } from '@crate/kubernetes';
import { tryEach } from './try-each.js';

/** Field manager of what a deletion changes in a cluster. */
export const DELETION_MANAGER = 'crate-deletion';

const NAME = 'crate-deletion';
const HARD = { 'services.loadbalancers': '0', persistentvolumeclaims: '0' };

/** Lets no new load balancers and claims come, in any namespace; what is there stays. Gives the first refusal, if any. Idempotent. */
export async function freezeCloudObjects(target: TargetCluster, signal: AbortSignal): Promise<unknown> {
  const { items: namespaces } = await target.list('v1', 'Namespace', {}, signal);
  const frozen = await frozenNamespaces(target, signal);
  if (!frozen) return undefined;
  const open = namespaces.filter(
    ({ metadata }) => !frozen.has(metadata.name) && metadata.deletionTimestamp === undefined,
  );
  return tryEach(open, ({ metadata }) => {
    const quota = {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: NAME, namespace: metadata.name },
      spec: { hard: HARD },
    };
    return target.applyObject(quota, { fieldManager: DELETION_MANAGER, force: true }, signal);
  });
}

/** Undefined in a cluster that knows no quotas. */
async function frozenNamespaces(target: TargetCluster, signal: AbortSignal): Promise<Set<string> | undefined> {
  try {
    const { items } = await target.list('v1', 'ResourceQuota', {}, signal);
    return new Set(items.filter(({ metadata }) => metadata.name === NAME).map(namespaceOf));
  } catch (error) {
    if (isKindNotServed(error)) return undefined;
    throw error;
  }
}

function namespaceOf({ metadata }: KubeObject): string {
  return metadata.namespace ?? '';
}
