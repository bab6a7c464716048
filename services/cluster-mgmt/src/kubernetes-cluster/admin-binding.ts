import { isDeepStrictEqual } from 'node:util';
import type { KubeObject, Manifest } from '@crate/api';
import type { TargetCluster } from '@crate/kubernetes';
import type { ReconcileContext } from '@crate/reconcile';
import type { Logger } from '@crate/telemetry';
import type { ClusterConnections } from '../target/cluster-connections.js';
import { isExistingCluster, type KubernetesClusterScope } from './kubernetes-cluster.scope.js';

/** The group of all who hold a kubeconfig of Crate: unlike `system:masters`, it may do what a binding says. */
export const CLUSTER_ADMINS = 'crate:cluster-admins';

/** Kubernetes' own word for a binding that is not to be put back. Source: https://kubernetes.io/docs/reference/access-authn-authz/rbac/#auto-reconciliation */
const AUTOUPDATE = 'rbac.authorization.kubernetes.io/autoupdate';
const ANSWER_WITHIN_MS = 5000;

const GROUP = 'rbac.authorization.k8s.io';
const PLACE = { apiVersion: `${GROUP}/v1`, kind: 'ClusterRoleBinding' } as const;
const BINDING: Manifest = {
  ...PLACE,
  metadata: { name: CLUSTER_ADMINS },
  roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name: 'cluster-admin' },
  subjects: [{ apiGroup: GROUP, kind: 'Group', name: CLUSTER_ADMINS }],
};

/** The binding in each cluster that makes holders of kubeconfigs its administrators. */
export class AdminBinding {
  constructor(
    private readonly connections: Pick<ClusterConnections, 'find'>,
    private readonly logger: Logger,
  ) {}

  /**
   * Puts it in place, unless it is there, or annotated `autoupdate: "false"` by who takes rights away. Never throws, because nothing else waits for it:
   * a cluster that does not answer now is asked again by the next pass.
   */
  async keep(clusterUid: string, signal?: AbortSignal): Promise<void> {
    const soon = AbortSignal.timeout(ANSWER_WITHIN_MS);
    try {
      const target = await this.connections.find(clusterUid);
      if (target) await ensureBinding(target, signal ? AbortSignal.any([signal, soon]) : soon);
    } catch (error) {
      this.logger.warn('The binding of administrators was not put in place', { clusterUid, error });
    }
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

async function ensureBinding(target: TargetCluster, signal: AbortSignal): Promise<void> {
  const found = await target.find({ ...PLACE, name: CLUSTER_ADMINS }, signal);
  if (found && (isLeftAlone(found) || isDeepStrictEqual(found['subjects'], BINDING['subjects']))) return;
  await target.applyObject(BINDING, { fieldManager: 'crate', force: true }, signal);
}

function isLeftAlone({ metadata }: KubeObject): boolean {
  return metadata.annotations?.[AUTOUPDATE] === 'false';
}
