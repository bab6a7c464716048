import { Eip } from '@cdktn/provider-aws/lib/eip/index.js';
import { Instance, type InstanceConfig } from '@cdktn/provider-aws/lib/instance/index.js';
import { KeyPair } from '@cdktn/provider-aws/lib/key-pair/index.js';
import { invariant } from '@crate/errors';
import { Construct } from 'constructs';
import type { AwsClusterInput, MachineGroup } from '../input.js';
import { machineName, ownerTags, terraformName, uniqueName } from '../names.js';
import { BASTION_FIRST_BOOT, MACHINE_FIRST_BOOT } from './first-boot.js';
import type { Identities } from './identity.js';
import type { Images } from './images.js';
import type { Network, Zone } from './network.js';
import type { SecurityGroups } from './security-groups.js';

const BASTION_TYPE = 't3.micro';
const BASTION_DISK_GIB = 20;

/** What machines are put together from. */
export interface MachineParts {
  readonly network: Network;
  readonly groups: SecurityGroups;
  readonly identities: Identities;
  readonly images: Images;
  readonly keyPair: KeyPair;
}

/** One machine of the cluster. */
export interface ClusterMachine {
  readonly name: string;
  readonly group: MachineGroup;
  readonly instance: Instance;
}

/** The key pair that all machines of the cluster start with. */
export function buildKeyPair(scope: Construct, input: AwsClusterInput): KeyPair {
  const keyName = uniqueName(input, '', 255);
  return new KeyPair(scope, 'key-pair', { keyName, publicKey: input.sshPublicKey, tags: { Name: keyName } });
}

/**
 * Machines in private subnets, spread over the zones by their index. Each is a resource of its own, so that scaling
 * adds or removes at the end of its group and touches no other.
 */
export function buildMachines(scope: Construct, input: AwsClusterInput, parts: MachineParts): ClusterMachine[] {
  // A scope of their own: people choose these names, and one could be the name of another part of the stack.
  const machines = new Construct(scope, 'cluster-machines');
  return input.machineGroups.flatMap((group) =>
    Array.from({ length: group.replicas }, (_, index) => buildMachine(machines, input, parts, { group, index })),
  );
}

/** The one machine that SSH from outside reaches, at an address that survives its replacement. */
export function buildBastion(scope: Construct, input: AwsClusterInput, parts: MachineParts): Eip {
  const name = `${input.clusterName}-bastion`;
  const instance = new Instance(scope, 'bastion', {
    ...hardened(input, { name, diskGiB: BASTION_DISK_GIB }),
    ami: parts.images.idFor(BASTION_TYPE),
    instanceType: BASTION_TYPE,
    subnetId: zoneOf(parts.network, 0).publicSubnet.id,
    vpcSecurityGroupIds: [parts.groups.bastion.id],
    keyName: parts.keyPair.keyName,
    userData: BASTION_FIRST_BOOT,
  });
  instance.overrideLogicalId(terraformName(name));
  return new Eip(scope, 'bastion-address', {
    domain: 'vpc',
    instance: instance.id,
    tags: { Name: name },
    dependsOn: [parts.network.internetGateway],
  });
}

function buildMachine(
  scope: Construct,
  input: AwsClusterInput,
  parts: MachineParts,
  { group, index }: { group: MachineGroup; index: number },
): ClusterMachine {
  const name = machineName(input, group.name, index);
  const zone = zoneOf(parts.network, index);
  const instance = new Instance(scope, name, {
    ...hardened(input, { name, diskGiB: group.diskGiB, hasPodsThatMeter: input.isMetered && group.role === 'worker' }),
    ami: parts.images.idFor(group.machineType),
    instanceType: group.machineType,
    subnetId: zone.privateSubnet.id,
    associatePublicIpAddress: false,
    vpcSecurityGroupIds: [parts.groups[group.role].id],
    iamInstanceProfile: parts.identities[group.role].name,
    keyName: parts.keyPair.keyName,
    userData: MACHINE_FIRST_BOOT,
    dependsOn: [zone.privateDefaultRoute],
  });
  instance.overrideLogicalId(terraformName(name));
  return { name, group, instance };
}

/** What every machine has: encrypted disk, token-only metadata service, detailed monitoring. */
function hardened(
  input: AwsClusterInput,
  {
    name,
    diskGiB,
    hasPodsThatMeter = false,
  }: { name: string; diskGiB: number; hasPodsThatMeter?: boolean | undefined },
): Pick<InstanceConfig, 'monitoring' | 'rootBlockDevice' | 'metadataOptions' | 'tags' | 'lifecycle'> {
  return {
    monitoring: true,
    rootBlockDevice: {
      encrypted: true,
      volumeType: 'gp3',
      volumeSize: diskGiB,
      deleteOnTermination: true,
      tags: { ...ownerTags(input), Name: name },
    },
    metadataOptions: {
      httpEndpoint: 'enabled',
      httpTokens: 'required',
      // One hop: pods cannot reach the metadata service and with it the machine's role. With two they can.
      httpPutResponseHopLimit: hasPodsThatMeter ? 2 : 1,
    },
    tags: { Name: name },
    // A new image release must not replace a whole cluster at once; machines are rolled one by one.
    lifecycle: { ignoreChanges: ['ami', 'user_data'] },
  };
}

function zoneOf(network: Network, index: number): Zone {
  const zone = network.zones[index % network.zones.length];
  if (!zone) throw invariant('A network without zones');
  return zone;
}
