import type { InfrastructureSpec } from '@crate/api';

/** What lifecycle states for a small cluster. */
export function aSpec(
  name: string,
  changes: Partial<InfrastructureSpec> & { workers?: number } = {},
): InfrastructureSpec {
  const { workers = 1, ...rest } = changes;
  return {
    accountRef: { name: 'sandbox' },
    clusterName: name,
    clusterUid: `uid-of-${name}`,
    region: 'us-east-1',
    network: { vpcCidr: '10.20.0.0/16', availabilityZones: 1 },
    machineGroups: [
      { name: 'control-plane', role: 'control-plane', replicas: 1, machineType: 'm5.large', diskGiB: 50 },
      { name: 'workers', role: 'worker', replicas: workers, machineType: 'm5.xlarge', diskGiB: 50 },
    ],
    sshPublicKey: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ0o1Gf0kGv0m3n0b6v8k3lq7q3zJm1n2v5p8s7d6f5g crate',
    drift: { policy: 'observe', everyMinutes: 60 },
    ...rest,
  };
}
