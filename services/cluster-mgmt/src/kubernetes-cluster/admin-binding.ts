import { isDeepStrictEqual } from 'node:util';
import type { KubeObject, Manifest } from '@crate/api';
import { toPlatformError, type PlatformError } from '@crate/errors';
import { isRefusal, type TargetCluster } from '@crate/kubernetes';
import type { ReconcileContext } from '@crate/reconcile';
import type { Logger } from '@crate/telemetry';
import type { ClusterConnections } from '../target/cluster-connections.js';
import { isExistingCluster, type KubernetesClusterScope } from './kubernetes-cluster.scope.js';

/** The group of all who hold a kubeconfig of Crate: unlike `system:masters`, it may do what a binding says. */
export const CLUSTER_ADMINS = 'crate:cluster-admins';

/** Kubernetes' own word for a binding that is not to be put back. Source: https://kubernetes.io/docs/reference/access-authn-authz/rbac/#auto-reconciliation */
const AUTOUPDATE = 'rbac.authorization.kubernetes.io/autoupdate';
const ANSWER_WITHIN_MS = 5000;

const ROLE = 'cluster-admin';
const GROUP = 'rbac.authorization.k8s.io';
const PLACE = { apiVersion: `${GROUP}/v1`, kind: 'ClusterRoleBinding' } as const;
const REF = { ...PLACE, name: CLUSTER_ADMINS };
const BINDING: Manifest = {
  ...PLACE,
  metadata: { name: CLUSTER_ADMINS },
  roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name: ROLE },
  subjects: [{ apiGroup: GROUP, kind: 'Group', name: CLUSTER_ADMINS }],
};

/** The binding in each cluster that makes holders of kubeconfigs its administrators. */
export class AdminBinding {
  constructor(
    private readonly connections: Pick<ClusterConnections, 'find'>,
    private readonly logger: Logger,
  ) {}

  /**
   * Puts it in place, unless it is there, or annotated `autoupdate: "false"` by who takes rights away. Gives what the cluster refuses it with, such as
   * the word of a webhook. Never throws, because a pass does not wait for it: a cluster that does not answer now is asked again by the next one.
   */
  async keep(clusterUid: string, signal?: AbortSignal): Promise<PlatformError | undefined> {
    const soon = AbortSignal.timeout(ANSWER_WITHIN_MS);
    const given = signal ? AbortSignal.any([signal, soon]) : soon;
    try {
      const target = await this.connections.find(clusterUid);
      if (!target || (await isInPlace(target, given))) return undefined;
      const refusal = await putInPlace(target, given);
      if (refusal) this.warn(clusterUid, refusal);
      return refusal;
    } catch (error) {
      this.warn(clusterUid, error);
      return undefined;
    }
  }

  private warn(clusterUid: string, error: unknown): void {
    this.logger.warn('The binding of administrators was not put in place', { clusterUid, error });
  }
}

/** Work of a pass: of clusters alone that Crate made. */
export function keepAdmins(
  admins: Pick<AdminBinding, 'keep'>,
): (scope: KubernetesClusterScope, context: ReconcileContext) => Promise<void> {
  return async ({ cluster }, { remoteSignal }) => {
    if (!isExistingCluster(cluster)) await admins.keep(cluster.metadata.uid, remoteSignal);
  };
}

async function isInPlace(target: TargetCluster, signal: AbortSignal): Promise<boolean> {
  const found = await target.find(REF, signal);
  if (!found) return false;
  if (isLeftAlone(found)) return true;
  if (roleOf(found) === ROLE) return isDeepStrictEqual(found['subjects'], BINDING['subjects']);
  // No cluster changes the role of a binding.
  await target.remove(REF, signal);
  return false;
}

async function putInPlace(target: TargetCluster, signal: AbortSignal): Promise<PlatformError | undefined> {
  try {
    await target.applyObject(BINDING, { fieldManager: 'crate', force: true }, signal);
    return undefined;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return toPlatformError(error);
  }
}

/** Of a kind that is always the same: what has no namespace can give a ClusterRole alone. */
function roleOf(found: KubeObject): string | undefined {
  return (found['roleRef'] as { readonly name?: string } | undefined)?.name;
}

function isLeftAlone({ metadata }: KubeObject): boolean {
  return metadata.annotations?.[AUTOUPDATE] === 'false';
}
