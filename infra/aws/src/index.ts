export {
  decideOwnership,
  typesOf,
  withRoomFor,
  type Adoption,
  type OwnedResource,
  type Ownership,
  type OwnershipQuestion,
} from './adoption.js';
export { identifyingTexts, type IdentifyingTexts } from './identifying-texts.js';
export { emptyAwsStack } from './empty-stack.js';
export type { AwsClusterInput, LoadBalancerPort, MachineGroup, MachineRole } from './input.js';
export {
  IAM_PATH,
  kubernetesClusterId,
  kubernetesClusterTag,
  MANAGED_BY,
  nameHash,
  OWNER_TAGS,
  PROVIDERS,
  SSH_USER,
} from './names.js';
export { readAwsOutputs } from './outputs.js';
export { METERING_ACTIONS } from './stack/identity-policies.js';
export { synthesizeAwsCluster, type SynthesizedStack } from './synthesize.js';
export { accountPolicies } from './permissions/account-policies.js';
export { provisionerPolicies, type ProvisionerPolicies } from './permissions/provisioner-policies.js';
