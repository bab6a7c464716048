import { NAMESPACE } from '../kinds/core.js';
import { CLUSTER_ROLE, CLUSTER_ROLE_BINDING } from '../kinds/rbac.js';
import { ENDPOINTS, SERVICE } from '../kinds/service.js';
import { PRIORITY_CLASS } from '../kinds/core.js';
import { firstAddress } from '../addresses.js';
import type { ClusterScope } from '../runtime/cluster-scope.js';
import { NAMESPACE_FINALIZER } from '../workloads/namespace.reconciler.js';

const NAMESPACES = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];
const BOOTSTRAP = { 'kubernetes.io/bootstrapping': 'rbac-defaults' };
const READ = ['get', 'list', 'watch'];
const WRITE = ['create', 'delete', 'deletecollection', 'patch', 'update'];
const WORKLOAD_GROUPS = ['', 'apps', 'batch', 'autoscaling', 'networking.k8s.io', 'policy', 'discovery.k8s.io'];

const ROLES = [
  {
    name: 'cluster-admin',
    rules: [
      { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
      { nonResourceURLs: ['*'], verbs: ['*'] },
    ],
  },
  {
    name: 'admin',
    rules: [
      { apiGroups: [...WORKLOAD_GROUPS, 'rbac.authorization.k8s.io'], resources: ['*'], verbs: [...READ, ...WRITE] },
    ],
  },
  { name: 'edit', rules: [{ apiGroups: WORKLOAD_GROUPS, resources: ['*'], verbs: [...READ, ...WRITE] }] },
  {
    name: 'view',
    // Everything but Secrets, which would let a viewer act as every service account.
    rules: [
      {
        apiGroups: [''],
        resources: [
          ...['configmaps', 'endpoints', 'events', 'limitranges', 'namespaces', 'persistentvolumeclaims', 'pods'],
          ...['pods/log', 'replicationcontrollers', 'resourcequotas', 'serviceaccounts', 'services'],
        ],
        verbs: READ,
      },
      { apiGroups: WORKLOAD_GROUPS.filter((group) => group !== ''), resources: ['*'], verbs: READ },
    ],
  },
  {
    name: 'system:discovery',
    rules: [
      {
        nonResourceURLs: [
          '/api',
          '/api/*',
          '/apis',
          '/apis/*',
          '/healthz',
          '/livez',
          '/openapi',
          '/openapi/*',
          '/readyz',
          '/version',
          '/version/',
        ],
        verbs: ['get'],
      },
    ],
  },
  {
    name: 'system:basic-user',
    rules: [
      {
        apiGroups: ['authorization.k8s.io', 'authentication.k8s.io'],
        resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews', 'selfsubjectreviews'],
        verbs: ['create'],
      },
    ],
  },
];

const BINDINGS = [
  { name: 'cluster-admin', group: 'system:masters' },
  { name: 'system:discovery', group: 'system:authenticated' },
  { name: 'system:basic-user', group: 'system:authenticated' },
];

const PRIORITIES = [
  { name: 'system-cluster-critical', value: 2_000_000_000 },
  { name: 'system-node-critical', value: 2_000_001_000 },
];

/** What an API server makes for itself at its first start. Idempotent. */
export async function ensureBaseObjects(scope: ClusterScope, controlPlaneAddresses: readonly string[]): Promise<void> {
  for (const name of NAMESPACES) {
    await scope.ensure(NAMESPACE, {
      metadata: { name, labels: { 'kubernetes.io/metadata.name': name }, finalizers: [NAMESPACE_FINALIZER] },
      spec: { finalizers: [NAMESPACE_FINALIZER] },
      status: { phase: 'Active' },
    });
  }
  for (const { name, rules } of ROLES) {
    await scope.ensure(CLUSTER_ROLE, { metadata: { name, labels: BOOTSTRAP }, rules });
  }
  for (const { name, group } of BINDINGS) {
    const apiGroup = 'rbac.authorization.k8s.io' as const;
    await scope.ensure(CLUSTER_ROLE_BINDING, {
      metadata: { name, labels: BOOTSTRAP },
      roleRef: { apiGroup, kind: 'ClusterRole', name },
      subjects: [{ kind: 'Group', name: group, apiGroup }],
    });
  }
  for (const { name, value } of PRIORITIES) await scope.ensure(PRIORITY_CLASS, { metadata: { name }, value });
  await ensureKubernetesService(scope, controlPlaneAddresses);
}

async function ensureKubernetesService(scope: ClusterScope, addresses: readonly string[]): Promise<void> {
  const clusterIP = firstAddress(scope.record().network.serviceCidr);
  const labels = { component: 'apiserver', provider: 'kubernetes' };
  const metadata = { name: 'kubernetes', namespace: 'default' };
  await scope.ensure(SERVICE, {
    metadata: { ...metadata, labels },
    spec: {
      type: 'ClusterIP',
      clusterIP,
      clusterIPs: [clusterIP],
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      internalTrafficPolicy: 'Cluster',
      sessionAffinity: 'None',
      ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: 6443 }],
    },
    status: { loadBalancer: {} },
  });
  const subsets = [
    { addresses: addresses.map((ip) => ({ ip })), ports: [{ name: 'https', port: 6443, protocol: 'TCP' as const }] },
  ];
  await scope.ensure(ENDPOINTS, { metadata, subsets });
  const endpoints = scope.cache.find(ENDPOINTS, 'kubernetes', 'default');
  if (endpoints) await scope.update(ENDPOINTS, endpoints, { subsets });
}
