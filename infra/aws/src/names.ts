import { createHash } from 'node:crypto';
import { invariant } from '@crate/errors';
import type { AwsClusterInput, LoadBalancerPort } from './input.js';

/** User that images are set up with; SSH to machines logs in as this one. */
export const SSH_USER = 'ubuntu';

/** Source addresses of the one provider that stacks ask for, as Terraform and OpenTofu write it into states. */
export const PROVIDERS: readonly string[] = ['registry.terraform.io', 'registry.opentofu.org'].map(
  (registry) => `${registry}/hashicorp/aws`,
);

/** Tag keys that say which Crate object owns a cloud resource. */
export const OWNER_TAGS = {
  clusterUid: 'crate.dev/cluster-uid',
  infrastructureUid: 'crate.dev/infrastructure-uid',
  cluster: 'crate.dev/cluster',
  project: 'crate.dev/project',
  installation: 'crate.dev/installation',
  managedBy: 'crate.dev/managed-by',
} as const;

/** Value of the tag `managedBy`: everything that any installation of Crate has made carries it. */
export const MANAGED_BY = 'crate';

/** Path of roles and instance profiles in IAM, which can be listed by it but not by tags. */
export const IAM_PATH = '/crate/';

/** What tells a cluster's names from those of others. */
type ClusterIdentity = Pick<AwsClusterInput, 'clusterName' | 'infrastructureUid'>;

/**
 * A name for things whose names are unique per account (IAM, load balancers): starts readable, ends with a hash of
 * the uid, because two Projects may have clusters of one name in one account.
 */
export function uniqueName(input: ClusterIdentity, suffix: string, maxLength: number): string {
  const hash = nameHash(input.infrastructureUid);
  const tail = suffix ? `-${hash}-${suffix}` : `-${hash}`;
  return `${input.clusterName.slice(0, maxLength - tail.length).replace(/-+$/, '')}${tail}`;
}

/** What the names have that are unique per account, between hyphens or at the end: 8 hexadecimal digits. */
export function nameHash(infrastructureUid: string): string {
  return createHash('sha256').update(infrastructureUid).digest('hex').slice(0, 8);
}

/** The cluster's name towards controllers in it that make things in the cloud. */
export function kubernetesClusterId(input: ClusterIdentity): string {
  return uniqueName(input, '', 63);
}

/** Tag key by which Kubernetes' own cloud controllers recognise what belongs to the cluster. */
export function kubernetesClusterTag(input: ClusterIdentity): string {
  return `kubernetes.io/cluster/${kubernetesClusterId(input)}`;
}

/**
 * Tags of every resource of the cluster. None of them changes in the life of the cluster: a tag with a generation
 * would make each change of the spec touch every resource.
 */
export function ownerTags(input: AwsClusterInput): Record<string, string> {
  return {
    [OWNER_TAGS.clusterUid]: input.clusterUid,
    [OWNER_TAGS.infrastructureUid]: input.infrastructureUid,
    [OWNER_TAGS.cluster]: input.clusterName,
    [OWNER_TAGS.project]: input.namespace,
    [OWNER_TAGS.installation]: input.installationId,
    [OWNER_TAGS.managedBy]: MANAGED_BY,
    [kubernetesClusterTag(input)]: 'owned',
  };
}

/** Name of a machine, which is its node's name and, but for a leading digit, its address in Terraform. */
export function machineName(input: AwsClusterInput, group: string, index: number): string {
  return `${input.clusterName}-${group}-${index}`;
}

/** What begins or ends the names of what belongs to a port of the load balancer; the same wherever it leads. */
export function portName({ port }: LoadBalancerPort): string {
  return `port-${port}`;
}

/** Terraform takes no identifier that starts with a digit; a cluster's name may. Throws Invariant for what is none: expressions have it in them. */
export function terraformName(name: string): string {
  if (!/^[\w-]+$/.test(name)) throw invariant(`Not a name in Terraform: ${name}`);
  return /^\d/.test(name) ? `_${name}` : name;
}
