import { isDeepStrictEqual } from 'node:util';
import { firstAddress } from '../cluster/addresses.js';
import {
  createAuthority,
  createSigningKey,
  issueCertificate,
  namesOf,
  type CertificateSubject,
  type KeyPair,
} from '../pki/certificate-authority.js';
import type { ClusterConfig } from './cluster-config.js';
import type { RkeLog } from './rke-log.js';

/** One certificate as the state file has it. Source: https://github.com/rancher/rke/blob/release/v1.8/pki/pki.go */
export interface StoredCertificate {
  readonly certificatePEM: string;
  readonly keyPEM: string;
  readonly config: string;
  readonly name: string;
  readonly commonName: string;
  readonly ouName: string;
  readonly envName: string;
  readonly path: string;
  readonly keyEnvName: string;
  readonly keyPath: string;
  readonly configEnvName: string;
  readonly configPath: string;
}

export type CertificateBundle = Readonly<Record<string, StoredCertificate>>;

const CLIENTS: readonly { readonly name: string; readonly subject: CertificateSubject; readonly label: string }[] = [
  {
    name: 'kube-controller-manager',
    subject: { commonName: 'system:kube-controller-manager' },
    label: 'Kube Controller',
  },
  { name: 'kube-scheduler', subject: { commonName: 'system:kube-scheduler' }, label: 'Kube Scheduler' },
  { name: 'kube-proxy', subject: { commonName: 'system:kube-proxy' }, label: 'Kube Proxy' },
  { name: 'kube-node', subject: { commonName: 'system:node', organization: 'system:nodes' }, label: 'Node' },
];

/** The whole bundle: what `existing` holds stays, except an API server certificate whose names are out of date. */
export async function ensureCertificates(
  config: ClusterConfig,
  existing: CertificateBundle | undefined,
  log: RkeLog,
): Promise<CertificateBundle> {
  const bundle: Record<string, StoredCertificate> = { ...existing };
  const authority = await ensure(bundle, 'kube-ca', 'kube-ca', async () => {
    log.info('[certificates] Generating CA kubernetes certificates');
    return createAuthority('kube-ca');
  });
  await ensureServer(bundle, authority, config, log);
  await ensure(bundle, 'kube-service-account-token', 'kube-service-account-token', async () => {
    log.info('[certificates] Generating Service account token key');
    return { certificate: authority.certificate, key: await createSigningKey() };
  });
  for (const { name, subject, label } of CLIENTS) {
    await ensure(bundle, name, subject.commonName, async () => {
      log.info(`[certificates] Generating ${label} certificates`);
      return issueCertificate(authority, subject);
    });
  }
  await ensure(bundle, 'kube-admin', 'kube-admin', async () => {
    log.info('[certificates] Generating admin certificates and kubeconfig');
    return issueCertificate(authority, { commonName: 'kube-admin', organization: 'system:masters' });
  });
  await ensureEtcd(bundle, authority, config, log);
  return bundle;
}

async function ensureServer(
  bundle: Record<string, StoredCertificate>,
  authority: KeyPair,
  config: ClusterConfig,
  log: RkeLog,
): Promise<void> {
  const names = serverNames(config);
  const existing = bundle['kube-apiserver'];
  if (existing && isDeepStrictEqual(namesOf(existing.certificatePEM), names)) return;
  log.info('[certificates] Generating Kubernetes API server certificates');
  const pair = await issueCertificate(authority, { commonName: 'kube-apiserver', names }, existing?.keyPEM);
  bundle['kube-apiserver'] = stored('kube-apiserver', 'kube-apiserver', pair);
}

/** What the API server's certificate is once its time is over. Only who has the authority's key can make it. */
export async function expiredServerCertificate(bundle: CertificateBundle): Promise<string> {
  const { 'kube-ca': ca, 'kube-apiserver': server } = bundle;
  if (!ca || !server) throw new Error('The bundle has no certificate of an API server');
  const authority = { certificate: ca.certificatePEM, key: ca.keyPEM };
  const subject = { commonName: 'kube-apiserver', names: namesOf(server.certificatePEM), isExpired: true };
  return (await issueCertificate(authority, subject, server.keyPEM)).certificate;
}

async function ensureEtcd(
  bundle: Record<string, StoredCertificate>,
  authority: KeyPair,
  config: ClusterConfig,
  log: RkeLog,
): Promise<void> {
  for (const node of config.nodes.filter(({ role }) => role.includes('etcd'))) {
    const name = `kube-etcd-${node.internal_address.replaceAll(/[.:]/g, '-')}`;
    await ensure(bundle, name, 'kube-etcd', async () => {
      log.info(`[certificates] Generating ${name} certificate and key`);
      const names = [...new Set([node.address, node.internal_address, '127.0.0.1', 'localhost'])];
      return issueCertificate(authority, { commonName: 'kube-etcd', names });
    });
  }
}

/** Names the API server answers to: its hosts, the service in the cluster, and the configuration's own. */
function serverNames(config: ClusterConfig): readonly string[] {
  const hosts = config.nodes.filter(({ role }) => role.includes('controlplane'));
  const domain = config.services.kubelet.cluster_domain;
  const names = [
    ...hosts.flatMap((host) => [host.address, host.internal_address, host.hostname_override]),
    ...(config.authentication.sans ?? []),
    ...['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc'],
    `kubernetes.default.svc.${domain}`,
    '127.0.0.1',
    firstAddress(config.services['kube-api'].service_cluster_ip_range),
  ];
  return [...new Set(names)].sort();
}

async function ensure(
  bundle: Record<string, StoredCertificate>,
  name: string,
  commonName: string,
  make: () => Promise<KeyPair>,
): Promise<KeyPair> {
  const entry = (bundle[name] ??= stored(name, commonName, await make()));
  return { certificate: entry.certificatePEM, key: entry.keyPEM };
}

function stored(name: string, commonName: string, pair: KeyPair): StoredCertificate {
  const env = name.toUpperCase().replaceAll('-', '_');
  const file = `/etc/kubernetes/ssl/${name}`;
  return {
    certificatePEM: pair.certificate,
    keyPEM: pair.key,
    config: '',
    name,
    commonName,
    ouName: '',
    envName: env,
    path: `${file}.pem`,
    keyEnvName: `${env}_KEY`,
    keyPath: `${file}-key.pem`,
    configEnvName: '',
    configPath: '',
  };
}
