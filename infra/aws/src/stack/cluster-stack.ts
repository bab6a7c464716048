import './creation-stacks.js';
import { AwsProvider } from '@cdktn/provider-aws/lib/provider/index.js';
import { TerraformOutput, TerraformStack } from 'cdktn';
import { RootConstruct } from 'constructs';
import type { AwsClusterInput } from '../input.js';
import { ownerTags } from '../names.js';
import { OUTPUTS } from '../outputs.js';
import { buildApiLoadBalancer } from './api-load-balancer.js';
import { buildIdentities } from './identity.js';
import { Images } from './images.js';
import { buildBastion, buildKeyPair, buildMachines, type ClusterMachine, type MachineParts } from './machines.js';
import { buildNetwork } from './network.js';
import { API_PORT, buildSecurityGroups } from './security-groups.js';

/** Terraform and OpenTofu releases the stack is written for. */
export const TERRAFORM_VERSIONS = '>= 1.6.0, < 2.0.0';

/** Builds the stack of a self-managed cluster in memory. */
export function buildClusterStack(input: AwsClusterInput): TerraformStack {
  const stack = new TerraformStack(new RootConstruct(), 'cluster');
  stack.addOverride('terraform.required_version', TERRAFORM_VERSIONS);
  new AwsProvider(stack, 'aws', { region: input.region, allowedAccountIds: [input.accountId] });

  const network = buildNetwork(stack, input);
  const groups = buildSecurityGroups(stack, input, network);
  const parts: MachineParts = {
    network,
    groups,
    identities: buildIdentities(stack, input),
    images: new Images(stack),
    keyPair: buildKeyPair(stack, input),
  };
  const bastion = buildBastion(stack, input, parts);
  const machines = buildMachines(stack, input, parts);
  const balancer = buildApiLoadBalancer(stack, input, { network, groups, machines });

  tagEverything(stack, ownerTags(input));
  publish(stack, OUTPUTS.vpcId, network.vpc.id);
  publish(stack, OUTPUTS.apiHost, balancer.dnsName);
  publish(stack, OUTPUTS.apiPort, API_PORT);
  publish(stack, OUTPUTS.bastionHost, bastion.publicIp);
  publish(
    stack,
    OUTPUTS.egressAddresses,
    network.zones.map(({ egressAddress }) => egressAddress.publicIp),
  );
  publish(stack, OUTPUTS.machines, machines.map(describeMachine));
  return stack;
}

/** Adds the owner tags to whatever takes tags, so that no resource added later can be without. */
function tagEverything(stack: TerraformStack, tags: Record<string, string>): void {
  for (const construct of stack.node.findAll()) {
    if (isTaggable(construct)) construct.tags = { ...construct.tagsInput, ...tags };
  }
}

interface Taggable {
  tags: Record<string, string>;
  readonly tagsInput?: Record<string, string>;
}

function isTaggable(construct: object): construct is Taggable {
  return 'tagsAllInput' in construct || ('tagsInput' in construct && 'tagsAll' in construct);
}

function publish(stack: TerraformStack, name: string, value: unknown): void {
  new TerraformOutput(stack, name, { value });
}

function describeMachine({ name, group, instance }: ClusterMachine): Record<string, string> {
  return {
    name,
    group: group.name,
    role: group.role,
    instance_id: instance.id,
    private_ip: instance.privateIp,
    zone: instance.availabilityZone,
  };
}
