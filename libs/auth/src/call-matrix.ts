/** The platform's services, by the name that stands in `iss`, `sub` and `aud` of their tokens. */
export const SERVICES = ['lifecycle', 'cloud-mgmt', 'cluster-mgmt', 'policy-mgmt'] as const;
export type ServiceName = (typeof SERVICES)[number];

/** Who may call whom: a security boundary, enforced by every receiver and by NATS subject permissions. */
export const CALL_MATRIX: Readonly<Record<ServiceName, readonly ServiceName[]>> = {
  lifecycle: ['cloud-mgmt', 'cluster-mgmt', 'policy-mgmt'],
  'cloud-mgmt': ['policy-mgmt'],
  'cluster-mgmt': ['policy-mgmt'],
  'policy-mgmt': [],
};

/** What a token lets its bearer do at the audience. */
export type Scope = 'resources:read' | 'resources:write' | 'kubeconfig:read' | 'policy:review';
