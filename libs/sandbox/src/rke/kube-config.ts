import { stringify } from 'yaml';
import type { CertificateBundle } from './certificates.js';
import type { ClusterConfig } from './cluster-config.js';
import { RkeError } from './rke-error.js';

/**
 * The administrator's kubeconfig. Its server is the first control-plane host, as the engine has it: whoever reaches
 * the API another way, such as a load balancer, puts that address in and lists it under `authentication.sans`.
 */
export function adminKubeConfig(config: ClusterConfig, certificates: CertificateBundle): string {
  const host = config.nodes.find(({ role }) => role.includes('controlplane'))?.address;
  const admin = certificates['kube-admin'];
  const authority = certificates['kube-ca'];
  if (host === undefined || !admin || !authority) throw new RkeError('Failed to build the admin kubeconfig');

  const cluster = config.cluster_name;
  const user = `kube-admin-${cluster}`;
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        cluster: {
          'api-version': 'v1',
          'certificate-authority-data': base64(authority.certificatePEM),
          server: `https://${host}:6443`,
        },
        name: cluster,
      },
    ],
    contexts: [{ context: { cluster, user }, name: cluster }],
    'current-context': cluster,
    users: [
      {
        name: user,
        user: { 'client-certificate-data': base64(admin.certificatePEM), 'client-key-data': base64(admin.keyPEM) },
      },
    ],
  });
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
