import { isJsonObject } from '@crate/api';
import type { Policy, PolicyReviewRequest, PolicyStage } from '@crate/api';
import { statedEngine } from '../document/stated-engine.js';
import type { PolicyExample } from './policy-pack.js';

type Json = Readonly<Record<string, unknown>>;

/** A Cluster as it is stored, defaults filled in, that no rule of level `must` or `should` objects to. */
export const GOOD_CLUSTER: Json = {
  apiVersion: 'lifecycle.crate.dev/v1alpha1',
  kind: 'Cluster',
  metadata: {
    name: 'demo',
    namespace: 'team-a',
    labels: { team: 'payments', 'cost-center': 'cc-4711', environment: 'test', 'data-class': 'internal' },
  },
  spec: {
    accountRef: { name: 'sandbox' },
    region: 'us-east-1',
    kubernetes: { engine: 'rke', version: 'v1.31.4' },
    network: {
      vpcCidr: '10.20.0.0/16',
      availabilityZones: 3,
      podCidr: '10.42.0.0/16',
      serviceCidr: '10.43.0.0/16',
    },
    controlPlane: { replicas: 3, machineType: 'm5.large', diskGiB: 50 },
    nodePools: [{ name: 'workers', replicas: 2, machineType: 'm5.xlarge', diskGiB: 50 }],
    addOns: [],
    paused: false,
  },
};

/** Those that RKE enables itself, and the one that CIS 1.2.3 asks for. */
const ADMISSION_PLUGINS = [
  'NamespaceLifecycle',
  'LimitRanger',
  'ServiceAccount',
  'DefaultStorageClass',
  'DefaultTolerationSeconds',
  'MutatingAdmissionWebhook',
  'ValidatingAdmissionWebhook',
  'ResourceQuota',
  'NodeRestriction',
  'Priority',
  'DenyServiceExternalIPs',
].join(',');

/** A `cluster.yml` that no rule objects to. */
export const GOOD_CONFIG: Json = {
  cluster_name: 'demo',
  ssh_key_path: 'ssh-key',
  nodes: [
    { address: '10.20.0.10', role: ['controlplane', 'etcd'] },
    { address: '10.20.0.20', role: ['worker'] },
  ],
  authorization: { mode: 'rbac' },
  ignore_docker_version: false,
  network: { plugin: 'canal' },
  services: {
    etcd: {
      uid: 52034,
      gid: 52034,
      backup_config: { enabled: true, interval_hours: 12, retention: 6, s3backupconfig: { bucket_name: 'backups' } },
    },
    'kube-api': {
      always_pull_images: true,
      pod_security_configuration: 'restricted',
      secrets_encryption_config: { enabled: true },
      audit_log: { enabled: true, configuration: { max_age: 30, max_backup: 10, max_size: 100 } },
      event_rate_limit: { enabled: true },
      extra_args: {
        'anonymous-auth': 'false',
        profiling: 'false',
        'tls-min-version': 'VersionTLS12',
        'tls-cipher-suites': 'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256',
        'enable-admission-plugins': ADMISSION_PLUGINS,
      },
    },
    'kube-controller': {
      extra_args: { profiling: 'false', 'terminated-pod-gc-threshold': '1000', 'bind-address': '127.0.0.1' },
    },
    scheduler: { extra_args: { profiling: 'false', 'bind-address': '127.0.0.1' } },
    kubelet: {
      generate_serving_certificate: true,
      extra_args: {
        'pod-max-pids': '4096',
        'anonymous-auth': 'false',
        'authorization-mode': 'Webhook',
        'protect-kernel-defaults': 'true',
        'tls-min-version': 'VersionTLS12',
      },
    },
  },
};

/** A `config.yaml` of an RKE2 server that no rule objects to. Source: https://docs.rke2.io/reference/server_config */
export const GOOD_RKE2_CONFIG: Json = {
  'token-file': '/etc/rancher/rke2/token',
  profile: 'cis',
  selinux: true,
  cni: 'canal',
  'audit-policy-file': '/etc/rancher/rke2/audit-policy.yaml',
  'write-kubeconfig-mode': '0600',
  'etcd-s3': true,
  'etcd-s3-config-secret': 'etcd-backups',
  'kube-apiserver-arg': [
    'tls-min-version=VersionTLS12',
    'enable-admission-plugins=NodeRestriction,DenyServiceExternalIPs',
  ],
  'kubelet-arg': ['tls-min-version=VersionTLS12', 'pod-max-pids=4096'],
};

const POOL = { replicas: 1, machineType: 'm5.large', diskGiB: 50 };

/** Of a rule with several stages the one that the example is written for. */
export function stageOfExample(
  { resources, manifest, config }: PolicyExample,
  { match: { stages } }: Pick<Policy['spec'], 'match'>,
): PolicyStage {
  const written = resources ? 'TerraformPlan' : manifest ? 'Manifest' : config ? 'EngineConfig' : 'ClusterSpec';
  return stages.includes(written) ? written : (stages[0] as PolicyStage);
}

/** The request that an example of a pack stands for. */
export function exampleRequest(stage: PolicyStage, example: PolicyExample): PolicyReviewRequest {
  const document = exampleDocument(stage, example);
  const engine = example.engine ?? (stage === 'EngineConfig' ? 'rke' : statedEngine(stage, document));
  const provider = example.provider === undefined ? {} : { provider: example.provider };
  const subject = { namespace: 'team-a', name: 'demo', ...(engine === undefined ? {} : { engine }), ...provider };
  const { oldSpec: spec } = example;
  const before = spec ? { oldDocument: exampleDocument(stage, { spec }) } : {};
  return { stage, document, ...before, subject };
}

function exampleDocument(stage: PolicyStage, example: PolicyExample): Json {
  switch (stage) {
    case 'ClusterSpec':
      return overlay(GOOD_CLUSTER, { metadata: example.metadata ?? {}, spec: withPools(example.spec ?? {}) });
    case 'EngineConfig':
      return overlay(example.engine === 'rke2' ? GOOD_RKE2_CONFIG : GOOD_CONFIG, example.config ?? {});
    case 'TerraformPlan':
      return planOf(example.resources ?? []);
    case 'Manifest':
      return example.manifest ?? {};
  }
}

/** Examples name of a pool what matters. */
function withPools(spec: Json): Json {
  const pools = spec['nodePools'] as readonly Json[] | undefined;
  return pools ? { ...spec, nodePools: pools.map((pool) => ({ ...POOL, ...pool })) } : spec;
}

function planOf(resources: NonNullable<PolicyExample['resources']>): Json {
  const configured = resources.flatMap(({ type, name, stated }) => {
    if (!stated) return [];
    return [{ address: `${type}.${name}`, expressions: Object.fromEntries(stated.map((each) => [each, {}])) }];
  });
  return {
    ...(configured.length > 0 ? { configuration: { root_module: { resources: configured } } } : {}),
    format_version: '1.2',
    resource_changes: resources.map(({ type, name, actions, values, unknown }) => ({
      address: `${type}.${name}`,
      mode: 'managed',
      type,
      name,
      change: { actions, before: null, after: values, after_unknown: unknown },
    })),
  };
}

/** Objects are merged, everything else is replaced. */
function overlay(base: Json, over: Json): Json {
  const merged = Object.entries(over).map(([key, value]) => [
    key,
    isJsonObject(value) && isJsonObject(base[key]) ? overlay(base[key], value) : value,
  ]);
  return { ...base, ...(Object.fromEntries(merged) as Json) };
}
