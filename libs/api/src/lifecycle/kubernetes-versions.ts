/**
 * Kubernetes versions each engine can bring up, newest first, without a gap between minor versions. One stays in the list as long as the
 * engine that ships brings it up, also when upstream ends its support: clusters are upgraded one minor version at a time, and those that are
 * behind have to pass through it. A cluster keeps a version that leaves the list. Source: https://kubernetes.io/releases/ and https://github.com/rancher/rke/releases
 */
export const SUPPORTED_KUBERNETES_VERSIONS = {
  rke: ['v1.32.4', 'v1.31.8', 'v1.31.4', 'v1.30.12', 'v1.30.8'],
} as const;

/** Engines that turn machines into a cluster. */
export type Engine = keyof typeof SUPPORTED_KUBERNETES_VERSIONS;

/**
 * Machines that a cluster of each engine may have in all. RKE keeps its state, with a certificate and its key for the kubelet of every node,
 * in one Secret of the cluster, of 1 MiB at most: about 120 nodes fill it.
 */
export const MOST_MACHINES: Readonly<Record<Engine, number>> = { rke: 110 };

/** Stands in the place of an engine where nobody here made the cluster: it was there, and stays when it is let go. */
export const EXISTING = 'existing';

/** By the exact text: `v1.31.4` may be one, `v1.31` and `1.31.4` are none. */
export function isSupportedVersion(engine: Engine, version: string): boolean {
  return (SUPPORTED_KUBERNETES_VERSIONS[engine] as readonly string[]).includes(version);
}
