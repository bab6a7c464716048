import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { aCloud, aMachine, aMachineConfig, SCOPE, type TestCloud } from './testing/a-cloud.js';
import { text } from './aws/values.js';
import type { Values } from './terraform/value.js';

let world: TestCloud;

beforeEach(async () => {
  world = await aCloud();
});

afterEach(() => world.close());

const OTHER_ACCOUNT = { ...SCOPE, account: '210987654321' };

async function aBastion(machine: Values, scope = SCOPE): Promise<string> {
  const address = await world.create('aws_eip', { domain: 'vpc', instance: machine['id'] ?? null }, scope);
  return text(address, 'public_ip');
}

/** A machine with a private address of its choice: networks repeat, so addresses do. */
async function machineAt(
  privateAddress: string,
  around: Record<'subnet' | 'group' | 'keyPair', Values>,
  scope = SCOPE,
) {
  return world.create('aws_instance', aMachineConfig(around, { private_ip: privateAddress }), scope);
}

describe('findByAddress', () => {
  it('finds the machine of a public address', async () => {
    const { machine, keyPair } = await aMachine(world);
    const address = await aBastion(machine);

    expect(world.cloud.machines.findByAddress(address)).toEqual({
      id: machine['id'],
      privateAddress: machine['private_ip'],
      publicAddress: address,
      isRunning: true,
      authorizedKey: keyPair['public_key'],
      machineType: 'm5.large',
      cpus: 2,
      memoryMiB: 8192,
      region: 'us-east-1',
      zone: 'us-east-1a',
    });
  });

  it('tells networks with the same addresses apart by their bastion', async () => {
    const [here, there] = [await aMachine(world), await aMachine(world, { scope: OTHER_ACCOUNT })];
    const [bastionHere, bastionThere] = [await aBastion(here.machine), await aBastion(there.machine, OTHER_ACCOUNT)];
    const mine = await machineAt('10.20.5.5', here);
    const theirs = await machineAt('10.20.5.5', there, OTHER_ACCOUNT);

    expect(world.cloud.machines.findByAddress('10.20.5.5', bastionHere)?.id).toBe(mine['id']);
    expect(world.cloud.machines.findByAddress('10.20.5.5', bastionThere)?.id).toBe(theirs['id']);
  });

  it.each([
    { name: 'behind an unknown bastion', address: '10.20.5.5', bastion: '198.18.9.9' },
    { name: 'at an unknown public address', address: '198.18.9.9', bastion: undefined },
    { name: 'at a private address without a bastion', address: '10.20.5.5', bastion: undefined },
  ])('finds nobody $name', async ({ address, bastion }) => {
    const around = await aMachine(world);
    await machineAt('10.20.5.5', around);

    expect(world.cloud.machines.findByAddress(address, bastion)).toBeUndefined();
  });
});

describe('find', () => {
  it('finds no machine that is gone', async () => {
    const { machine } = await aMachine(world);
    const id = text(machine, 'id');
    expect(world.cloud.machines.find(id)?.id).toBe(id);
    await world.delete('aws_instance', id);

    expect(world.cloud.machines.find(id)).toBeUndefined();
  });
});

describe('findLoadBalancer', () => {
  it('finds the one whose targets include the machine', async () => {
    const { vpc, subnet, machine } = await aMachine(world);
    const balancer = await world.create('aws_lb', { name: 'api', subnets: [subnet['id'] ?? null] });
    const targets = await world.create('aws_lb_target_group', { name: 'api', vpc_id: vpc['id'] ?? null });
    const registration = { target_group_arn: targets['arn'] ?? null, target_id: machine['id'] ?? null, port: 6443 };
    await world.create('aws_lb_target_group_attachment', registration);
    const { machines } = world.cloud;
    expect(machines.findLoadBalancer(text(machine, 'id'), 6443)).toBeUndefined();

    const action = { type: 'forward', target_group_arn: targets['arn'] ?? null };
    const listener = { load_balancer_arn: balancer['arn'] ?? null, port: 443, default_action: [action] };
    await world.create('aws_lb_listener', listener);

    expect(machines.findLoadBalancer(text(machine, 'id'), 6443)).toEqual({
      id: balancer['arn'],
      address: balancer['dns_name'],
      port: 443,
    });
    expect(machines.findLoadBalancer(text(machine, 'id'), 22)).toBeUndefined();
    expect(machines.findLoadBalancer('i-other', 6443)).toBeUndefined();
  });
});

describe('onChange', () => {
  it('tells of every change until it is stopped', async () => {
    let calls = 0;
    const stop = world.cloud.machines.onChange(() => (calls += 1));
    const { machine } = await aMachine(world);
    const before = calls;
    await world.delete('aws_instance', text(machine, 'id'));
    expect(before).toBeGreaterThanOrEqual(5);
    expect(calls).toBeGreaterThan(before);

    stop();
    await world.create('aws_eip', { domain: 'vpc' });
    expect(calls).toBe(before + 1);
  });
});
