import type { AwsClusterInput, MachineRole } from '../input.js';

/** Role of the machines that workloads run on: without a worker the engine has the control plane carry them. Pure. */
export function workloadRole({ machineGroups }: Pick<AwsClusterInput, 'machineGroups'>): MachineRole {
  return machineGroups.some(({ role, replicas }) => role === 'worker' && replicas > 0) ? 'worker' : 'control-plane';
}
