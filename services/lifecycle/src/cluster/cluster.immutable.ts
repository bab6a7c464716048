/** Fields of a Cluster's spec that a cluster which exists cannot change. */
export const IMMUTABLE_FIELDS: readonly string[] = [
  'accountRef.name',
  'region',
  'kubernetes.engine',
  'network.vpcCidr',
  'network.podCidr',
  'network.serviceCidr',
  'network.availabilityZones',
];
