/** The platform's services, by the name that stands in `iss`, `sub` and `aud` of their tokens. */
export const SERVICES = ['lifecycle', 'cloud-mgmt', 'cluster-mgmt', 'policy-mgmt'] as const;
/** Also the name of a service among keys, NATS users and subjects. */
export type ServiceName = (typeof SERVICES)[number];

/** Who may call whom: a security boundary, enforced by every receiver and by NATS subject permissions. */
export const CALL_MATRIX: Readonly<Record<ServiceName, readonly ServiceName[]>> = {
  lifecycle: ['cloud-mgmt', 'cluster-mgmt', 'policy-mgmt'],
  'cloud-mgmt': ['policy-mgmt'],
  'cluster-mgmt': ['policy-mgmt'],
  'policy-mgmt': [],
};

/** What a token lets its bearer do at the audience. */
export const SCOPES = [
  'resources:read',
  'resources:write',
  'kubeconfig:read',
  'policy:review',
  'audit:read',
  'status:read',
] as const;
/** A token carries those that its audience grants its issuer, and none besides. */
export type Scope = (typeof SCOPES)[number];

/** The scopes each service grants, by caller. Only edges of `CALL_MATRIX` appear. */
export const GRANTED_SCOPES: Readonly<Record<ServiceName, Readonly<Partial<Record<ServiceName, readonly Scope[]>>>>> = {
  lifecycle: {},
  'cloud-mgmt': { lifecycle: ['resources:read', 'resources:write', 'audit:read', 'status:read'] },
  'cluster-mgmt': { lifecycle: ['resources:read', 'resources:write', 'kubeconfig:read', 'audit:read', 'status:read'] },
  'policy-mgmt': {
    lifecycle: ['resources:read', 'resources:write', 'policy:review', 'audit:read', 'status:read'],
    'cloud-mgmt': ['policy:review'],
    'cluster-mgmt': ['policy:review'],
  },
};

/** The API group each service owns; nobody else may announce kinds in it. */
export const SERVICE_GROUPS: Readonly<Record<ServiceName, string>> = {
  lifecycle: 'lifecycle.crate.dev',
  'cloud-mgmt': 'cloud.crate.dev',
  'cluster-mgmt': 'cluster.crate.dev',
  'policy-mgmt': 'policy.crate.dev',
};

/** Groups of the world's that a service serves besides its own: viewers look for policy reports in theirs. */
export const FURTHER_GROUPS: Readonly<Partial<Record<ServiceName, readonly string[]>>> = {
  'policy-mgmt': ['wgpolicyk8s.io'],
};
