import type { Node } from '../kinds/core.js';

type Taint = NonNullable<Node['spec']['taints']>[number];

interface Host {
  readonly roles: readonly string[];
}

const PREFIX = 'node-role.kubernetes.io/';
const ROLES = ['controlplane', 'etcd', 'worker'];
const CONTROL_PLANE: Taint = { key: `${PREFIX}controlplane`, value: 'true', effect: 'NoSchedule' };
const ETCD: Taint = { key: `${PREFIX}etcd`, value: 'true', effect: 'NoExecute' };

/** The label of every role that a host may have. */
export const ROLE_LABELS = ROLES.map((role) => `${PREFIX}${role}`);

export function roleLabels({ roles }: Host): Record<string, string> {
  return Object.fromEntries(roles.map((role) => [`${PREFIX}${role}`, 'true']));
}

/** What keeps workloads off a host of these roles, unless it is a worker too. */
export function roleTaints({ roles }: Host): readonly Taint[] {
  return [...(roles.includes('etcd') ? [ETCD] : []), ...(roles.includes('controlplane') ? [CONTROL_PLANE] : [])];
}

/** What a kubelet registers its node with. Source: BuildKubeletProcess in cluster/plan.go of RKE */
export function kubeletTaints({ roles }: Host): Taint[] {
  return roles.includes('controlplane') && !roles.includes('worker') ? [CONTROL_PLANE] : [];
}
