import { KUBECONFIG_SECONDS } from '@crate/api';

/** Path of a kubeconfig of the cluster at a path that is good for as long as one may be: for files that nobody fetches anew each day. */
export function longestKubeconfigPath(cluster: string): string {
  return `${cluster}/kubeconfig?expirationSeconds=${KUBECONFIG_SECONDS.most}`;
}
