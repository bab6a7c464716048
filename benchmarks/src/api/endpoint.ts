import { currentEntries, parseKubeconfig } from '@crate/kubernetes';

/** Where requests go, and what goes with them. */
export interface Endpoint {
  readonly url: string;
  /** PEM. */
  readonly ca: string;
  readonly token: string;
}

/** The API that a kubeconfig with a token points at. */
export function endpointOf(kubeconfig: string): Endpoint {
  const { cluster, user } = currentEntries(parseKubeconfig(kubeconfig));
  const authority = String(cluster['certificate-authority-data']);
  const ca = Buffer.from(authority, 'base64').toString('utf8');
  return { url: String(cluster['server']), ca, token: String(user['token']) };
}
