/** Kinds under which a cluster's secrets are stored, with the uid of the KubernetesCluster as their owner. */
export const SECRET_KINDS = {
  sshPrivateKey: 'ssh-private-key',
  engineState: 'rke-state',
  kubeconfig: 'kubeconfig',
} as const;
