import { parseCidr, type ClusterNode, type KubernetesClusterSpec } from '@crate/api';
import { invariant } from '@crate/errors';
import type { EngineConfig } from '../engine-config.js';

export interface RkeConfigOptions {
  /** Who logs in to machines; must be allowed to use Docker there. */
  readonly sshUser: string;
}

/** File name of the private key, beside `cluster.yml`; a relative path keeps the configuration the same on every host. */
export const SSH_KEY_FILE = 'ssh-key';

/** Label on every node with the pool it belongs to. */
export const POOL_LABEL = 'lifecycle.crate.dev/pool';

/** The engine's packaging of a Kubernetes version. */
const RELEASE_SUFFIX = '-rancher1-1';

/** Share of the workers that an upgrade may take away at a time; one at least. */
const MAX_UNAVAILABLE_PERCENT = 10;

/** TLS 1.2 suites with forward secrecy and authenticated encryption; TLS 1.3 chooses its own. */
const CIPHER_SUITES = [
  'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256',
  'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256',
  'TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384',
  'TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384',
  'TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305',
  'TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305',
].join(',');

/**
 * The `cluster.yml` of a cluster, hardened as the CIS benchmark asks. Pure, and stable: the same spec gives the same document.
 * Sources: https://rke.docs.rancher.com/config-options,
 * https://ranchermanager.docs.rancher.com/reference-guides/rancher-security/hardening-guides/rke1-hardening-guide
 */
export function rkeConfig(spec: KubernetesClusterSpec, options: RkeConfigOptions): EngineConfig {
  return {
    cluster_name: spec.clusterName,
    kubernetes_version: `${spec.version ?? missing('a version')}${RELEASE_SUFFIX}`,
    ssh_key_path: SSH_KEY_FILE,
    ...bastion(spec, options),
    nodes: nodes(spec, options),
    services: services(spec),
    network: { plugin: 'canal', options: { canal_flannel_backend_type: 'vxlan' } },
    authentication: { strategy: 'x509', sans: spec.apiEndpoint ? [spec.apiEndpoint.host] : [] },
    authorization: { mode: 'rbac' },
    // Ingress is the choice of whoever runs workloads, and comes as an add-on.
    ingress: { provider: 'none' },
    monitoring: { provider: 'metrics-server' },
    enable_cri_dockerd: true,
    // Machines come with one pinned Docker; the engine's own list of versions lags behind.
    ignore_docker_version: true,
    addon_job_timeout: 120,
    upgrade_strategy: {
      max_unavailable_worker: `${MAX_UNAVAILABLE_PERCENT}%`,
      max_unavailable_controlplane: '1',
      drain: true,
      node_drain_input: {
        force: true,
        ignore_daemonsets: true,
        delete_local_data: true,
        grace_period: -1,
        timeout: 300,
      },
    },
  };
}

/** What makes one run differ from another of the same configuration. */
export interface RunCircumstances {
  readonly silentWorkers?: number;
  readonly drains?: boolean;
}

/**
 * The configuration that a run is given. The engine takes hosts that it cannot reach from the number that may be away at a time, and does
 * nothing for any worker when none is left; so silent ones count beside it. It drains a node for whatever changes on it, also where only its
 * proxy is told of another control plane, which no pod notices; so it drains for another version alone. Pure.
 */
export function configForRun(
  config: EngineConfig,
  { silentWorkers = 0, drains = false }: RunCircumstances,
): EngineConfig {
  const nodes = config['nodes'] as readonly { readonly role: readonly string[] }[];
  const workers = nodes.filter(({ role }) => role.includes('worker')).length;
  const atATime = Math.max(1, Math.floor((workers * MAX_UNAVAILABLE_PERCENT) / 100));
  const away = silentWorkers > 0 ? { max_unavailable_worker: String(atATime + silentWorkers) } : {};
  const strategy = config['upgrade_strategy'] as EngineConfig;
  return { ...config, upgrade_strategy: { ...strategy, ...away, drain: drains } };
}

/** Addresses of the machines that etcd is not to run on, nor ever did: a machine keeps its role. Pure. */
export function hostsWithoutEtcd(config: EngineConfig): ReadonlySet<string> {
  const nodes = config['nodes'] as readonly { readonly address: string; readonly role: readonly string[] }[];
  return new Set(nodes.filter(({ role }) => !role.includes('etcd')).map(({ address }) => address));
}

function bastion(spec: KubernetesClusterSpec, options: RkeConfigOptions): EngineConfig {
  if (spec.bastionHost === undefined) return {};
  return {
    bastion_host: { address: spec.bastionHost, user: options.sshUser, port: '22', ssh_key_path: SSH_KEY_FILE },
  };
}

function nodes(spec: KubernetesClusterSpec, options: RkeConfigOptions): readonly EngineConfig[] {
  // Without workers the control plane has to carry the system's own workloads.
  const hasWorkers = spec.nodes.some((node) => node.role === 'worker');
  return spec.nodes
    .toSorted((left, right) => rank(left) - rank(right) || left.name.localeCompare(right.name, 'en', { numeric: true }))
    .map((node) => ({
      address: node.address,
      port: '22',
      internal_address: node.address,
      hostname_override: node.name,
      user: options.sshUser,
      ssh_key_path: SSH_KEY_FILE,
      role: node.role === 'worker' ? ['worker'] : ['controlplane', 'etcd', ...(hasWorkers ? [] : ['worker'])],
      labels: { ...node.labels, [POOL_LABEL]: node.pool },
      taints: node.taints ?? [],
    }));
}

/** Control-plane nodes first: the engine takes the first one as the address of the API. */
function rank(node: ClusterNode): number {
  return node.role === 'control-plane' ? 0 : 1;
}

/** Only an existing cluster has none, and no engine is run for that. */
function missing(what: string): never {
  throw invariant(`A cluster that an engine makes has ${what}`);
}

function services(spec: KubernetesClusterSpec): EngineConfig {
  const { podCidr, serviceCidr } = spec.network ?? missing('a network');
  return {
    etcd: {
      // CIS 1.1.12: etcd's data belongs to a user of its own.
      uid: 52034,
      gid: 52034,
      backup_config: { enabled: true, interval_hours: 12, retention: 6 },
    },
    'kube-api': kubeApi(serviceCidr),
    'kube-controller': {
      cluster_cidr: podCidr,
      service_cluster_ip_range: serviceCidr,
      extra_args: { profiling: 'false', 'terminated-pod-gc-threshold': '1000', 'bind-address': '127.0.0.1' },
    },
    scheduler: { extra_args: { profiling: 'false', 'bind-address': '127.0.0.1' } },
    kubelet: kubelet(serviceCidr),
  };
}

function kubeApi(serviceCidr: string): EngineConfig {
  return {
    service_cluster_ip_range: serviceCidr,
    service_node_port_range: '30000-32767',
    pod_security_configuration: 'restricted',
    secrets_encryption_config: { enabled: true },
    audit_log: {
      enabled: true,
      configuration: {
        max_age: 30,
        max_backup: 10,
        max_size: 100,
        path: '/var/log/kube-audit/audit-log.json',
        format: 'json',
        policy: { apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [{ level: 'Metadata' }] },
      },
    },
    event_rate_limit: { enabled: true },
    extra_args: {
      'anonymous-auth': 'false',
      profiling: 'false',
      'service-account-lookup': 'true',
      'tls-min-version': 'VersionTLS12',
      'tls-cipher-suites': CIPHER_SUITES,
    },
  };
}

function kubelet(serviceCidr: string): EngineConfig {
  return {
    cluster_domain: 'cluster.local',
    cluster_dns_server: addressAt(serviceCidr, 10),
    fail_swap_on: false,
    generate_serving_certificate: true,
    extra_args: {
      'anonymous-auth': 'false',
      'authorization-mode': 'Webhook',
      'read-only-port': '0',
      'protect-kernel-defaults': 'true',
      'tls-min-version': 'VersionTLS12',
      'tls-cipher-suites': CIPHER_SUITES,
    },
  };
}

function addressAt(cidr: string, offset: number): string {
  const block = parseCidr(cidr);
  if (!block) throw invariant(`Not a CIDR block: ${cidr}`);
  const address = block.first + offset;
  return [24, 16, 8, 0].map((bits) => Math.floor(address / 2 ** bits) % 256).join('.');
}
