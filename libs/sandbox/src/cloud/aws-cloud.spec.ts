import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { aCloud, aMachine, aMachineConfig, SCOPE, type TestCloud } from './testing/a-cloud.js';
import { RESOURCE_TYPES } from './aws/catalog.js';
import { isWithin } from './aws/network-addresses.js';
import { text } from './aws/values.js';
import type { Values } from './terraform/value.js';

let world: TestCloud;

beforeEach(async () => {
  world = await aCloud();
});

afterEach(() => world.close());

const OTHER_ACCOUNT = { ...SCOPE, account: '210987654321' };
const OTHER_REGION = { ...SCOPE, region: 'eu-west-1' };

describe('creating', () => {
  it('fills in what AWS does', async () => {
    const { machine, subnet } = await aMachine(world);

    expect(machine).toMatchObject({
      id: expect.stringMatching(/^i-[0-9a-f]{17}$/),
      arn: `arn:aws:ec2:us-east-1:123456789012:instance/${text(machine, 'id')}`,
      availability_zone: subnet['availability_zone'],
      instance_state: 'running',
      public_ip: '',
    });
    expect(isWithin(`${text(machine, 'private_ip')}/32`, '10.20.0.0/18')).toBe(true);
  });

  it('gives every machine of a subnet an address of its own', async () => {
    const around = await aMachine(world);
    const small = await world.create('aws_subnet', { vpc_id: around.vpc['id'] ?? null, cidr_block: '10.20.64.0/28' });
    const config = aMachineConfig({ ...around, subnet: small });
    const machines = await Promise.all(Array.from({ length: 11 }, () => world.create('aws_instance', config)));

    expect(new Set(machines.map((machine) => machine['private_ip'])).size).toBe(11);
    await expect(world.create('aws_instance', config)).rejects.toThrow('InsufficientFreeAddressesInSubnet');
  });

  it.each<{ type: string; config: Values; want: string }>([
    {
      type: 'aws_subnet',
      config: { vpc_id: 'vpc-1', cidr_block: '10.0.0.0/24' },
      want: "creating EC2 Subnet: operation error EC2: CreateSubnet, https response error StatusCode: 400, RequestID: <id>, api error InvalidVpcID.NotFound: The vpc ID 'vpc-1' does not exist",
    },
    {
      type: 'aws_iam_instance_profile',
      config: { name: 'workers', role: 'nobody' },
      want: 'creating IAM Instance Profile (workers): operation error IAM: CreateInstanceProfile, https response error StatusCode: 404, RequestID: <id>, NoSuchEntity: The role with name nobody cannot be found.',
    },
    {
      type: 'aws_key_pair',
      config: { key_name: 'demo', public_key: 'ecdsa-sha2-nistp256 AAAA' },
      want: 'creating EC2 Key Pair (demo): operation error EC2: ImportKeyPair, https response error StatusCode: 400, RequestID: <id>, api error InvalidKey.Format: Key is not in valid OpenSSH public key format',
    },
  ])('is refused in the words of the real provider: $type', async ({ type, config, want }) => {
    const failure: unknown = await world.create(type, config).catch((error: unknown) => error);

    expect((failure as Error).message.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/, '<id>')).toBe(want);
    expect(world.cloud.inventory.list()).toEqual([]);
  });

  it('is refused for a machine type that AWS does not have', async () => {
    const around = await aMachine(world);
    const config = aMachineConfig(around, { instance_type: 'm5.larg' });

    await expect(world.create('aws_instance', config)).rejects.toThrow("Invalid value 'm5.larg' for InstanceType.");
  });

  it('is refused for a subnet that lies outside of its network or over another one', async () => {
    const { vpc } = await aMachine(world);
    const subnet = (cidr_block: string): Promise<Values> =>
      world.create('aws_subnet', { vpc_id: vpc['id'] ?? null, cidr_block });

    await expect(subnet('10.21.0.0/24')).rejects.toThrow('InvalidSubnet.Range');
    await expect(subnet('10.20.1.0/24')).rejects.toThrow('InvalidSubnet.Conflict');
  });

  it.each<{ type: string; config: (vpc: Values) => Values; code: string }>([
    {
      type: 'aws_iam_role',
      config: () => ({ name: 'workers', assume_role_policy: '{}' }),
      code: 'EntityAlreadyExists: Role with name workers already exists.',
    },
    {
      type: 'aws_security_group',
      config: (vpc) => ({ name: 'workers', vpc_id: vpc['id'] ?? null }),
      code: 'InvalidGroup.Duplicate',
    },
    {
      type: 'aws_lb_target_group',
      config: (vpc) => ({ name: 'workers', vpc_id: vpc['id'] ?? null }),
      code: 'ELBv2 Target Group (workers) already exists',
    },
  ])('is refused when the name is taken: $type', async ({ type, config, code }) => {
    const { vpc } = await aMachine(world);
    await world.create(type, config(vpc));

    await expect(world.create(type, config(vpc))).rejects.toThrow(code);
  });

  it('does not see what another account or region has', async () => {
    const { vpc } = await aMachine(world);
    const config = { vpc_id: vpc['id'] ?? null, cidr_block: '10.20.64.0/24' };

    await expect(world.create('aws_subnet', config, OTHER_ACCOUNT)).rejects.toThrow('InvalidVpcID.NotFound');
    await expect(world.create('aws_subnet', config, OTHER_REGION)).rejects.toThrow('InvalidVpcID.NotFound');
    await aMachine(world, { scope: OTHER_REGION });
    await aMachine(world, { scope: OTHER_ACCOUNT });
    expect(world.cloud.inventory.list({ account: OTHER_ACCOUNT.account })).toHaveLength(5);
  });
});

describe('changing', () => {
  it.each([
    { name: 'refused for a smaller disk', size: 50, want: 'New size cannot be smaller than existing size' },
    { name: 'done for a larger one', size: 200, want: undefined },
  ])('is $name', async ({ size, want }) => {
    const around = await aMachine(world);
    const disk = { root_block_device: [{ volume_size: 100 }] };
    const machine = await world.create('aws_instance', aMachineConfig(around, disk));
    const call = { scope: SCOPE, type: RESOURCE_TYPES.get('aws_instance')! };
    const changed = { ...machine, root_block_device: [{ volume_size: size }] };

    const answer = await world.cloud.aws.update(call, text(machine, 'id'), changed).catch((error: unknown) => error);
    expect(answer instanceof Error ? answer.message : undefined).toEqual(want && expect.stringContaining(want));
  });
});

describe('deleting', () => {
  it.each([
    {
      type: 'aws_vpc',
      part: 'vpc',
      want: /DependencyViolation: The vpc 'vpc-\w+' has dependencies and cannot be deleted/,
    },
    { type: 'aws_subnet', part: 'subnet', want: /DependencyViolation: The subnet 'subnet-\w+' has dependencies/ },
    { type: 'aws_security_group', part: 'group', want: /DependencyViolation: resource sg-\w+ has a dependent object/ },
  ] as const)('is refused for a $type in use', async ({ type, part, want }) => {
    const around = await aMachine(world);

    await expect(world.delete(type, text(around[part], 'id'))).rejects.toThrow(want);
  });

  it('succeeds from the inside out, and is settled when repeated', async () => {
    const { vpc, subnet, group, keyPair, machine } = await aMachine(world);
    const all = [
      ['aws_instance', machine],
      ['aws_key_pair', keyPair],
      ['aws_security_group', group],
      ['aws_subnet', subnet],
      ['aws_vpc', vpc],
    ] as const;
    for (const [type, object] of all) await world.delete(type, text(object, 'id'));
    for (const [type, object] of all) await world.delete(type, text(object, 'id'));

    expect(world.cloud.inventory.list()).toEqual([]);
  });

  it('takes a security group with rules that name itself', async () => {
    const { vpc } = await aMachine(world);
    const group = await world.create('aws_security_group', { vpc_id: vpc['id'] ?? null, name: 'self' });
    const groupId = group['id'] ?? null;
    await world.create('aws_vpc_security_group_ingress_rule', {
      security_group_id: groupId,
      referenced_security_group_id: groupId,
      ip_protocol: 'tcp',
      from_port: 22,
      to_port: 22,
    });
    await world.delete('aws_security_group', text(group, 'id'));

    expect(world.cloud.inventory.list({ type: 'aws_vpc_security_group_ingress_rule' })).toEqual([]);
  });

  it('of an internet gateway is refused while something behind it has a public address', async () => {
    const { vpc, machine } = await aMachine(world);
    const gateway = await world.create('aws_internet_gateway', { vpc_id: vpc['id'] ?? null });
    const address = await world.create('aws_eip', { domain: 'vpc', instance: machine['id'] ?? null });

    await expect(world.delete('aws_internet_gateway', text(gateway, 'id'))).rejects.toThrow('mapped public address');
    await world.delete('aws_eip', text(address, 'id'));
    await world.delete('aws_internet_gateway', text(gateway, 'id'));
  });

  it('of a role is refused while it has policies, and then while a profile has it', async () => {
    await world.create('aws_iam_role', { name: 'workers', assume_role_policy: '{}' });
    await world.create('aws_iam_role_policy', { role: 'workers', name: 'kubernetes', policy: '{}' });
    await world.create('aws_iam_instance_profile', { name: 'workers', role: 'workers' });

    await expect(world.delete('aws_iam_role', 'workers')).rejects.toThrow('must delete policies first');
    await world.delete('aws_iam_role_policy', 'workers:kubernetes');
    await expect(world.delete('aws_iam_role', 'workers')).rejects.toThrow('must remove roles from instance profile');
  });
});

describe('public addresses', () => {
  it('are unique in the whole sandbox', async () => {
    const scopes = [SCOPE, OTHER_ACCOUNT, OTHER_REGION];
    const addresses = await Promise.all(
      Array.from({ length: 30 }, (_, n) => world.create('aws_eip', { domain: 'vpc' }, scopes[n % 3])),
    );

    expect(new Set(addresses.map((address) => address['public_ip'])).size).toBe(30);
  });

  it('show on the machine they are with, and leave it when either goes', async () => {
    const { machine } = await aMachine(world);
    const shown = (): unknown =>
      world.cloud.inventory.find(SCOPE, 'aws_instance', text(machine, 'id'))?.attributes['public_ip'];
    const first = await world.create('aws_eip', { domain: 'vpc', instance: machine['id'] ?? null });
    expect(shown()).toBe(first['public_ip']);

    await world.delete('aws_eip', text(first, 'id'));
    expect(shown()).toBe('');

    const second = await world.create('aws_eip', { domain: 'vpc', instance: machine['id'] ?? null });
    await world.delete('aws_instance', text(machine, 'id'));
    const address = world.cloud.inventory.find(SCOPE, 'aws_eip', text(second, 'id'));
    expect(address?.attributes).toMatchObject({ instance: '', association_id: '' });
  });
});

describe('load balancers', () => {
  it('have a loopback address each, which is what their clients connect to', async () => {
    const { subnet } = await aMachine(world);
    const balancers = await Promise.all(
      ['a', 'b', 'c'].map((name) =>
        world.create('aws_lb', { name, load_balancer_type: 'network', subnets: [subnet['id'] ?? null] }),
      ),
    );
    const addresses = balancers.map((balancer) => text(balancer, 'dns_name'));

    expect(new Set(addresses).size).toBe(3);
    for (const address of addresses) expect(address).toMatch(/^127\.\d+\.\d+\.\d+$/);
  });
});

describe('what takes no tags', () => {
  it('is listed under the tags of what it is part of', async () => {
    const { vpc } = await aMachine(world);
    const table = await world.create('aws_route_table', {
      vpc_id: vpc['id'] ?? null,
      tags: { Name: 'public', 'crate.dev/cluster': 'demo' },
    });
    await world.create('aws_route', { route_table_id: table['id'] ?? null, destination_cidr_block: '0.0.0.0/0' });
    const [route] = world.cloud.inventory.list({ type: 'aws_route' });

    expect(route?.tags).toEqual({ 'crate.dev/cluster': 'demo' });
    expect(route?.importId).toBe(`${text(table, 'id')}_0.0.0.0/0`);
  });
});
