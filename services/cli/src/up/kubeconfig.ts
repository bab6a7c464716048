import { dataText } from '../output/print.js';

/** Cluster and context of the kubeconfigs that are written here. */
export const OWN_CONTEXT = 'crate';
/** User that `admin.kubeconfig` signs in as. */
export const ADMIN = 'admin';

export interface KubeconfigOptions {
  readonly server: string;
  /** Name that its certificate has, where that is not the one of the URL. */
  readonly tlsServerName?: string;
  /** PEM. */
  readonly ca: string;
  readonly token: string;
  readonly user: string;
}

/** An ordinary kubeconfig for Crate's own API. Source: https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/ */
export function renderKubeconfig({ token, user, ...place }: KubeconfigOptions): string {
  return dataText('yaml', {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: OWN_CONTEXT, cluster: clusterEntry(place) }],
    users: [{ name: user, user: { token } }],
    contexts: [{ name: OWN_CONTEXT, context: { cluster: OWN_CONTEXT, user } }],
    'current-context': OWN_CONTEXT,
  });
}

/** Where the API is, as a kubeconfig says it. */
export function clusterEntry({ server, tlsServerName, ca }: Omit<KubeconfigOptions, 'token' | 'user'>): object {
  return {
    server,
    ...(tlsServerName === undefined ? {} : { 'tls-server-name': tlsServerName }),
    'certificate-authority-data': Buffer.from(ca).toString('base64'),
  };
}
