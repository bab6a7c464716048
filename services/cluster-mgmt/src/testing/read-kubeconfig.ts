import type { KubernetesCluster } from '@crate/api';
import type { SubresourceQuery } from '@crate/resource-client';
import { kubeconfigReader, type KubeconfigParts } from '../kubernetes-cluster/kubeconfig.subresource.js';

/** The kubeconfig of a cluster, as `user` gets it; by default nobody keeps the binding that makes it good for something. */
export async function readKubeconfig(
  parts: Partial<KubeconfigParts> & Pick<KubeconfigParts, 'secrets'>,
  cluster: KubernetesCluster,
  { user = 'ada', query = {} }: { readonly user?: string; readonly query?: SubresourceQuery } = {},
): Promise<string> {
  const read = kubeconfigReader({ admins: { keep: () => Promise.resolve(undefined) }, ...parts });
  const { name } = cluster.metadata;
  const ref = { group: 'cluster.crate.dev', version: 'v1alpha1', plural: 'kubernetesclusters', name };
  return (await read(cluster, ref, { caller: { user, groups: ['team-a'] }, traceId: 'trace' }, query)) as string;
}
