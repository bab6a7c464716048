import { z } from 'zod';
import { AGE, column, defineCoreKind, type CoreObject } from './define-core-kind.js';
import { anyObject, asAtomicMap } from './fields.js';

const RBAC = { group: 'rbac.authorization.k8s.io' } as const;

const rule = z.strictObject({
  verbs: z.array(z.string()).min(1, 'Required value'),
  apiGroups: z.array(z.string()).optional(),
  resources: z.array(z.string()).optional(),
  resourceNames: z.array(z.string()).optional(),
  nonResourceURLs: z.array(z.string()).optional(),
});
export type PolicyRule = z.output<typeof rule>;

const rules = z.array(rule).nullish();
const role = z.strictObject({ rules });
const clusterRole = z.strictObject({ rules, aggregationRule: anyObject.optional() });

const subject = z.strictObject({
  kind: z.enum(['User', 'Group', 'ServiceAccount']),
  name: z.string().min(1),
  namespace: z.string().optional(),
  apiGroup: z.string().optional(),
});
const binding = z.strictObject({
  subjects: z.array(subject).optional(),
  roleRef: z
    .strictObject({
      apiGroup: z.literal('rbac.authorization.k8s.io').default('rbac.authorization.k8s.io'),
      kind: z.enum(['Role', 'ClusterRole']),
      name: z.string().min(1),
    })
    .meta(asAtomicMap),
});

export type RoleObject = CoreObject<typeof role>;
export type BindingObject = CoreObject<typeof binding>;

const createdAt = column('Created At', '.metadata.creationTimestamp');
const roleRef = [column('Role', '.printed.role'), AGE];

export const ROLE = defineCoreKind({ ...RBAC, kind: 'Role', plural: 'roles', body: role, columns: [createdAt] });
export const CLUSTER_ROLE = defineCoreKind({
  ...RBAC,
  kind: 'ClusterRole',
  plural: 'clusterroles',
  namespaced: false,
  body: clusterRole,
  columns: [createdAt],
});
export const ROLE_BINDING = defineCoreKind({
  ...RBAC,
  kind: 'RoleBinding',
  plural: 'rolebindings',
  body: binding,
  columns: roleRef,
});
export const CLUSTER_ROLE_BINDING = defineCoreKind({
  ...RBAC,
  kind: 'ClusterRoleBinding',
  plural: 'clusterrolebindings',
  namespaced: false,
  body: binding,
  columns: roleRef,
});
