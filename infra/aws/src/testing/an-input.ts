import type { AwsClusterInput, MachineGroup } from '../input.js';

/** The quickstart's cluster, for tests; `workers` says how many worker machines it has. */
export function anInput(changes: Partial<AwsClusterInput> & { readonly workers?: number } = {}): AwsClusterInput {
  const { workers = 2, ...rest } = changes;
  return {
    infrastructureUid: '7d3c2f0e-5a51-4a3b-9a52-0f5f6d0f9b11',
    installationId: '5f0c9a3e-8f0e-4d6b-a3a1-7d1f2f6c4e55',
    clusterUid: '2b1f5f9e-1d0a-4a44-8f2f-7b0f3f1f2c33',
    clusterName: 'demo',
    namespace: 'team-a',
    accountId: '123456789012',
    region: 'us-east-1',
    network: { vpcCidr: '10.20.0.0/16', availabilityZones: 3 },
    machineGroups: [CONTROL_PLANE, { ...WORKERS, replicas: workers }],
    sshPublicKey: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGw0sXHx4Q3mY0fXg0z0c2Uq2Gm1Yk8m3b1a0x9y8z7w demo',
    managementCidrs: ['203.0.113.0/24'],
    ...rest,
  };
}

const CONTROL_PLANE: MachineGroup = {
  name: 'control-plane',
  role: 'control-plane',
  replicas: 3,
  machineType: 'm5.large',
  diskGiB: 50,
};
const WORKERS: MachineGroup = { name: 'workers', role: 'worker', replicas: 2, machineType: 'm5.xlarge', diskGiB: 50 };
