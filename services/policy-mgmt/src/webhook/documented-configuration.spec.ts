import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import type { Policy } from '@crate/api';
import { catalogued, readPacks, RuleReviewer } from '@crate/policy-engine';
import { InMemoryLogger } from '@crate/telemetry';
import { parse } from 'yaml';

interface Rule {
  readonly apiGroups: readonly string[];
  readonly operations: readonly string[];
  readonly resources: readonly string[];
  readonly scope: 'Namespaced' | 'Cluster' | '*';
}

interface Configuration {
  readonly webhooks: readonly { readonly rules: readonly Rule[] }[];
}

/** Kinds of Kubernetes without a namespace, by API group. Source: https://kubernetes.io/docs/reference/kubernetes-api/ */
const CLUSTER_SCOPED: Readonly<Record<string, string>> = {
  '': 'Namespace Node PersistentVolume',
  'admissionregistration.k8s.io':
    'MutatingAdmissionPolicy MutatingAdmissionPolicyBinding MutatingWebhookConfiguration ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding ValidatingWebhookConfiguration',
  'apiextensions.k8s.io': 'CustomResourceDefinition',
  'apiregistration.k8s.io': 'APIService',
  'certificates.k8s.io': 'CertificateSigningRequest ClusterTrustBundle',
  'flowcontrol.apiserver.k8s.io': 'FlowSchema PriorityLevelConfiguration',
  'networking.k8s.io': 'IngressClass IPAddress ServiceCIDR',
  'node.k8s.io': 'RuntimeClass',
  'rbac.authorization.k8s.io': 'ClusterRole ClusterRoleBinding',
  'resource.k8s.io': 'DeviceClass ResourceSlice',
  'scheduling.k8s.io': 'PriorityClass',
  'storage.k8s.io': 'CSIDriver CSINode StorageClass VolumeAttachment VolumeAttributesClass',
};

const CLUSTER_KINDS = new Map(
  Object.entries(CLUSTER_SCOPED).flatMap(([group, kinds]) => kinds.split(' ').map((kind) => [kind, group] as const)),
);

const packs = await readPacks(fileURLToPath(new URL('../../packs', import.meta.url)));
const manifests = packs.filter(({ spec }) => spec.match.stages.includes('Manifest'));
const judged = new Set(manifests.flatMap(({ spec }) => spec.match.kinds ?? []).map((kind) => kind.split('/').at(-1)));
const text = await readFile(new URL('../../../../docs/admission-webhook.md', import.meta.url), 'utf8');
const [, block = ''] = /```yaml\n([^]*?)```/.exec(text) ?? [];
const rules = (parse(block) as Configuration).webhooks.flatMap((webhook) => webhook.rules);

/** As the API server compares: `*` is every resource, and no subresource. */
function isAsked(scope: Rule['scope'], group: string, resource: string): boolean {
  const names = (list: readonly string[], name: string): boolean => list.includes('*') || list.includes(name);
  return rules.some(
    (rule) =>
      ['*', scope].includes(rule.scope) &&
      names(rule.apiGroups, group) &&
      (resource.includes('/') ? rule.resources.includes(resource) : names(rule.resources, resource)),
  );
}

const RBAC = 'rbac.authorization.k8s.io';

function binding(name: string, role: string, subject: Readonly<Record<string, string>>): Record<string, unknown> {
  const roleRef = { apiGroup: RBAC, kind: 'ClusterRole', name: role };
  return { apiVersion: `${RBAC}/v1`, kind: 'ClusterRoleBinding', metadata: { name }, roleRef, subjects: [subject] };
}

/** What RKE itself applies in each of its runs, outside of namespaces that are left out. Source: templates/authz.go of rancher/rke */
const OF_ENGINE: readonly Record<string, unknown>[] = [
  binding('job-deployer', 'cluster-admin', {
    kind: 'ServiceAccount',
    name: 'rke-job-deployer',
    namespace: 'kube-system',
  }),
  binding('system:node', 'system:node', { kind: 'Group', name: 'system:nodes', apiGroup: RBAC }),
  binding('proxy-role-binding-kubernetes-master', 'proxy-clusterrole-kubeapiserver', {
    kind: 'User',
    name: 'kube-apiserver',
    apiGroup: RBAC,
  }),
  {
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRole',
    metadata: { name: 'proxy-clusterrole-kubeapiserver' },
    rules: [
      {
        apiGroups: [''],
        resources: ['nodes/metrics', 'nodes/proxy', 'nodes/stats', 'nodes/log', 'nodes/spec'],
        verbs: ['get', 'list', 'watch', 'create'],
      },
    ],
  },
];

/** What cluster-mgmt applies itself whenever somebody is given a kubeconfig. */
const OF_CRATE = binding('crate:cluster-admins', 'cluster-admin', {
  kind: 'Group',
  name: 'crate:cluster-admins',
  apiGroup: RBAC,
});

const pluralOf = (kind: string): string => `${kind.toLowerCase()}${kind.endsWith('Class') ? 'es' : 's'}`;

describe('the configuration that the documentation gives for a cluster', () => {
  it('asks about what has a namespace, and about containers that are put into a running pod', () => {
    expect(judged).toContain('Pod');
    expect(isAsked('Namespaced', 'apps', 'deployments')).toBe(true);
    expect(isAsked('Namespaced', '', 'pods/ephemeralcontainers')).toBe(true);
    expect(isAsked('Namespaced', 'apps', 'deployments/scale')).toBe(false);
  });

  it('asks, of what has none, about what the packs look at, and leaves the rest to the cluster', () => {
    const asked = [...CLUSTER_KINDS].filter(([kind, group]) => isAsked('Cluster', group, pluralOf(kind)));
    const wanted = [...CLUSTER_KINDS].filter(([kind]) => judged.has(kind));
    expect(wanted.length).toBeGreaterThan(3);
    expect(asked).toEqual(wanted);
  });

  it('denies nothing that the engine or Crate itself applies whenever they change the cluster', () => {
    const reviewer = new RuleReviewer(new InMemoryLogger());
    const policies = manifests.map(({ name, spec }) => catalogued({ metadata: { name }, spec } as Policy));
    const denied = [...OF_ENGINE, OF_CRATE].flatMap((document) => {
      const subject = { namespace: 'team-a', name: '', cluster: 'demo' };
      const asked = { stage: 'Manifest' as const, operation: 'CREATE' as const, document, subject };
      return reviewer.review(asked, { policies }).violations.filter(({ effect }) => effect === 'deny');
    });
    expect(denied).toEqual([]);
  });
});
