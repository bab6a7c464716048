import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { aCloud, aMachine, aMachineConfig, SCOPE, type TestCloud } from './testing/a-cloud.js';
import { RESOURCE_TYPES } from './aws/catalog.js';
import { fault, type Fault } from './faults.js';
import { text } from './aws/values.js';
import type { Values } from './terraform/value.js';

let world: TestCloud;

beforeEach(async () => {
  world = await aCloud();
});

afterEach(() => world.close());

const put = (value: Fault): Promise<void> => world.cloud.faults.put('test', value);
const createVpc = (): Promise<Values> => world.create('aws_vpc', { cidr_block: '10.0.0.0/16' });

describe('a fault on calls', () => {
  it.each<{ name: string; value: Fault; want: string }>([
    {
      name: 'credentials',
      value: { kind: 'credentials' },
      want: 'StatusCode: 401, RequestID: <id>, api error AuthFailure: AWS was not able to validate the provided access credentials',
    },
    {
      name: 'unauthorized',
      value: { kind: 'unauthorized' },
      want: 'StatusCode: 403, RequestID: <id>, api error UnauthorizedOperation: You are not authorized to perform this operation. User: arn:aws:iam::123456789012:user/crate is not authorized to perform: ec2:CreateVpc because no identity-based policy allows the ec2:CreateVpc action',
    },
    {
      name: 'throttle',
      value: { kind: 'throttle', probability: 1 },
      want: 'StatusCode: 503, RequestID: <id>, api error RequestLimitExceeded: Request limit exceeded.',
    },
    {
      name: 'server-error',
      value: { kind: 'server-error', probability: 1 },
      want: 'StatusCode: 500, RequestID: <id>, api error InternalError: An internal error has occurred',
    },
    {
      name: 'quota',
      value: { kind: 'quota', type: 'aws_vpc', limit: 0 },
      want: 'StatusCode: 400, RequestID: <id>, api error VpcLimitExceeded: The maximum number of VPCs has been reached.',
    },
  ])('$name is worded as AWS does', async ({ value, want }) => {
    await put(value);
    const failure = (await createVpc().catch((error: unknown) => error)) as Error;
    const message = failure.message.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/, '<id>');

    expect(message).toMatch(/^creating EC2 VPC: operation error EC2: CreateVpc, /);
    expect(message.endsWith(`https response error ${want}`)).toBe(true);
    expect(world.cloud.inventory.list()).toEqual([]);
  });

  it('is over when it is removed', async () => {
    await put({ kind: 'credentials' });
    await expect(createVpc()).rejects.toThrow('AuthFailure');
    await world.cloud.faults.remove('test');

    await expect(createVpc()).resolves.toBeDefined();
  });

  it('ends after its hits', async () => {
    await put({ kind: 'throttle', probability: 1, remaining: 2 });
    await expect(createVpc()).rejects.toThrow('RequestLimitExceeded');
    await expect(createVpc()).rejects.toThrow('RequestLimitExceeded');

    await expect(createVpc()).resolves.toBeDefined();
    expect(world.cloud.faults.list()).toEqual([]);
  });

  it.each<{ name: string; value: Fault }>([
    { name: 'another account', value: { kind: 'credentials', account: '999999999999' } },
    { name: 'another access key', value: { kind: 'credentials', accessKeyId: 'AKIAOTHER' } },
    { name: 'another type', value: { kind: 'throttle', probability: 1, type: 'aws_subnet' } },
  ])('of $name changes nothing', async ({ value }) => {
    await put(value);

    await expect(createVpc()).resolves.toBeDefined();
  });
});

describe('an answer that is lost', () => {
  it('leaves the object behind', async () => {
    await put({ kind: 'timeout-after-success', probability: 1, type: 'aws_vpc', remaining: 1 });

    await expect(createVpc()).rejects.toThrow('Client.Timeout exceeded while awaiting headers');
    expect(world.cloud.inventory.list({ type: 'aws_vpc' })).toHaveLength(1);
  });

  it('leaves nothing behind when it was a deletion', async () => {
    const vpc = await createVpc();
    await put({ kind: 'timeout-after-success', probability: 1, remaining: 1 });

    await expect(world.delete('aws_vpc', text(vpc, 'id'))).rejects.toThrow('Client.Timeout');
    expect(world.cloud.inventory.list()).toEqual([]);
  });
});

describe('limits on machines', () => {
  it.each<{ value: Fault; want: string }>([
    {
      value: { kind: 'quota', type: 'aws_instance', limit: 1 },
      want: 'InstanceLimitExceeded: You have requested more instances (2) than your current instance limit of 1 allows',
    },
    {
      value: { kind: 'vcpu-quota', limit: 3 },
      want: 'VcpuLimitExceeded: You have requested more vCPU capacity than your current vCPU limit of 3 allows',
    },
    {
      value: { kind: 'capacity', zone: 'us-east-1a' },
      want: 'InsufficientInstanceCapacity: We currently do not have sufficient m5.large capacity in the Availability Zone you requested (us-east-1a)',
    },
  ])('$value.kind stops the next one', async ({ value, want }) => {
    const around = await aMachine(world);
    await put(value);

    await expect(world.create('aws_instance', aMachineConfig(around))).rejects.toThrow(want);
    expect(world.cloud.inventory.list({ type: 'aws_instance' })).toHaveLength(1);
  });

  it('do not count machines of another region', async () => {
    await aMachine(world, { scope: { ...SCOPE, region: 'eu-west-1' } });
    await put({ kind: 'quota', type: 'aws_instance', limit: 1 });

    await expect(aMachine(world)).resolves.toBeDefined();
  });

  it('do not stop machines of another type or zone', async () => {
    const around = await aMachine(world);
    await put({ kind: 'capacity', machineType: 'p4d.24xlarge' });

    await expect(world.create('aws_instance', aMachineConfig(around))).resolves.toBeDefined();
  });
});

describe('eventual consistency', () => {
  it('hides a new object from the calls that follow', async () => {
    await put({ kind: 'eventual-consistency', delayMs: 60_000, type: 'aws_vpc' });
    const vpc = await createVpc();
    const type = RESOURCE_TYPES.get('aws_vpc');

    await expect(world.create('aws_subnet', { vpc_id: vpc['id'] ?? null, cidr_block: '10.0.0.0/24' })).rejects.toThrow(
      'InvalidVpcID.NotFound',
    );
    expect(type && (await world.cloud.aws.read({ scope: SCOPE, type }, text(vpc, 'id')))).toBeUndefined();
    await world.cloud.faults.remove('test');
    expect(type && (await world.cloud.aws.read({ scope: SCOPE, type }, text(vpc, 'id')))).toBeDefined();
  });
});

describe('the schema of faults', () => {
  it('fills in what is usual', () => {
    expect(fault.parse({ kind: 'quota' })).toEqual({ kind: 'quota', type: 'aws_instance', limit: 0 });
    expect(fault.parse({ kind: 'throttle' })).toEqual({ kind: 'throttle', probability: 1 });
  });

  it.each([{ kind: 'rain' }, { kind: 'throttle', probability: 2 }, { kind: 'quota', limt: 1 }, { kind: 'vcpu-quota' }])(
    'refuses %j',
    (value) => {
      expect(fault.safeParse(value).success).toBe(false);
    },
  );
});

describe('a hold', () => {
  const heldCalls = async (): Promise<void> => {
    while (world.cloud.held.list().length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  };

  it.each([
    { moment: 'before' as const, made: 0 },
    { moment: 'after' as const, made: 1 },
  ])('keeps a call standing $moment it is done, until it is taken away', async ({ moment, made }) => {
    await put({ kind: 'hold', type: 'aws_vpc', action: 'create', moment, skip: 0 });
    const call = createVpc();
    await heldCalls();

    expect(world.cloud.held.list()).toEqual([
      { fault: 'test', account: SCOPE.account, type: 'aws_vpc', action: 'create', moment },
    ]);
    expect(world.cloud.inventory.list()).toHaveLength(made);
    await world.cloud.faults.remove('test');
    await call;
    expect(world.cloud.inventory.list()).toHaveLength(1);
    expect(world.cloud.held.list()).toEqual([]);
  });

  it('lets as many calls go by as it says, and none of another kind counts', async () => {
    await put({ kind: 'hold', type: 'aws_vpc', action: 'create', moment: 'after', skip: 1 });
    const first = await createVpc();
    await world.delete('aws_vpc', text(first, 'id'));
    const second = createVpc();
    await heldCalls();
    await world.cloud.faults.remove('test');
    await second;
  });

  it('forgets a call whose caller is gone: nothing is done', async () => {
    const type = RESOURCE_TYPES.get('aws_vpc');
    if (!type) throw new Error('No such type');
    const caller = new AbortController();
    await put({ kind: 'hold', moment: 'before', skip: 0 });
    const call = world.cloud.aws.create({ scope: SCOPE, type, signal: caller.signal }, { cidr_block: '10.0.0.0/16' });
    await heldCalls();
    // Before the hold is gone: the call may be refused while that is written down.
    const refused = expect(call).rejects.toThrow('context canceled');
    caller.abort();
    await world.cloud.faults.remove('test');

    await refused;
    expect(world.cloud.inventory.list()).toEqual([]);
  });
});
