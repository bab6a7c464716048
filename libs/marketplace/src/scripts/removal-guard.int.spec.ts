import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { FOLDER, ROOT } from '../written-files.js';

const run = promisify(execFile);
const INSTALLATION = 'crate.dev/installation';
const MANAGED = [{ Name: 'tag:crate.dev/managed-by', Values: ['crate'] }];

interface Thing {
  readonly region?: string;
  readonly state?: string;
  readonly Tags?: readonly { readonly Key: string; readonly Value: string }[];
  readonly [id: string]: unknown;
}

interface Account {
  readonly instances?: readonly Thing[];
  readonly vpcs?: readonly Thing[];
  readonly volumes?: readonly Thing[];
  readonly addresses?: readonly Thing[];
  readonly roles?: readonly Thing[];
  /** A call that AWS refuses. */
  readonly refused?: string;
  /** A region that the organization has closed. */
  readonly closed?: string;
}

/** As EC2 words it. Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/troubleshoot_access-denied.html */
const DENIAL =
  'You are not authorized to perform this operation. User: arn:aws:sts::1:assumed-role/guard/guard is not authorized to perform: ec2:DescribeVpcs with an explicit deny in a service control policy';
const HOME = 'eu-west-1';

/** The SDK as Lambda has it, over what `ACCOUNT` says; filters by state and region as EC2 does, and asks for Crate's tag. */
const SDK = `
const account = JSON.parse(process.env.ACCOUNT);
const MANAGED = ${JSON.stringify(JSON.stringify(MANAGED[0]))};
const call = (name) => { if (account.refused === name) throw new Error('not authorized to perform ' + name); };
const list = (kind, name, { region }, { Filters }) => {
  call(name);
  if (account.closed === region) throw new Error(${JSON.stringify(DENIAL)});
  if (JSON.stringify(Filters[0]) !== MANAGED) throw new Error('Not by tag: ' + JSON.stringify(Filters));
  const states = Filters.find((filter) => filter.Name === 'instance-state-name')?.Values;
  return (account[kind] ?? []).filter((each) => (each.region ?? 'eu-west-1') === region && (!states || states.includes(each.state)));
};
class EC2Client { constructor(options) { this.region = options.region; } async send(command) { return command(this); } }
class IAMClient {}
exports.EC2Client = EC2Client;
exports.IAMClient = IAMClient;
exports.DescribeRegionsCommand = function () { return () => ({ Regions: [{ RegionName: 'eu-west-1' }, { RegionName: 'us-east-1' }] }); };
exports.DescribeAddressesCommand = function (input) { return (client) => ({ Addresses: list('addresses', 'DescribeAddresses', client, input) }); };
exports.paginateDescribeInstances = async function* ({ client }, input) { for (const each of list('instances', 'DescribeInstances', client, input)) yield { Reservations: [{ Instances: [each] }] }; };
exports.paginateDescribeVpcs = async function* ({ client }, input) { yield { Vpcs: list('vpcs', 'DescribeVpcs', client, input) }; };
exports.paginateDescribeVolumes = async function* ({ client }, input) { yield { Volumes: list('volumes', 'DescribeVolumes', client, input) }; };
exports.paginateListRoles = async function* (_client, { PathPrefix }) { call('ListRoles'); yield { Roles: (account.roles ?? []).filter((each) => each.Path.startsWith(PathPrefix)) }; };
`;

interface Answer {
  readonly Status: string;
  readonly Reason: string;
  readonly PhysicalResourceId: string;
}

let directory: string;
let server: Server;
let answers: Answer[];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crate-guard-'));
  for (const name of ['client-ec2', 'client-iam']) {
    await mkdir(join(directory, '@aws-sdk', name), { recursive: true });
    await writeFile(join(directory, '@aws-sdk', name, 'index.js'), SDK);
  }
  server = createServer((request, response) => {
    void text(request).then((body) => {
      answers.push(JSON.parse(body) as Answer);
      response.end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
beforeEach(() => {
  answers = [];
});
afterAll(async () => {
  server.close();
  await rm(directory, { recursive: true });
});

/** What CloudFormation is answered; the handler runs in a process of its own, as in Lambda. */
async function ask(
  RequestType: string,
  account: Account,
  OtherInstallations = '',
  ClosedRegions = '',
): Promise<Answer | undefined> {
  const { port } = server.address() as AddressInfo;
  const event = {
    RequestType,
    ResponseURL: `http://127.0.0.1:${port}/`,
    StackId: 'stack',
    RequestId: 'request',
    LogicalResourceId: 'Guard',
    ...(RequestType === 'Create' ? {} : { PhysicalResourceId: 'as-made' }),
    ResourceProperties: { OtherInstallations, ClosedRegions },
  };
  const handler = join(ROOT, FOLDER, 'removal-guard.cjs');
  const program = `require(${JSON.stringify(handler)}).handler(${JSON.stringify(event)})`;
  const env = {
    ...{ PATH: process.env['PATH'], NODE_PATH: directory, NODE_OPTIONS: '' },
    ...{ ACCOUNT: JSON.stringify(account), AWS_REGION: HOME },
  };
  await run(process.execPath, ['-e', program], { env });
  expect(answers).toHaveLength(1);
  return answers[0];
}

const ours = { Tags: [{ Key: INSTALLATION, Value: 'ours' }] };
const another = { Tags: [{ Key: INSTALLATION, Value: 'another' }] };

describe('removal-guard.cjs', () => {
  it.each<{ name: string; account: Account; others?: string; left: string | undefined }>([
    { name: 'nothing', account: {}, left: undefined },
    {
      name: 'a machine',
      account: { instances: [{ InstanceId: 'i-1', state: 'stopped', ...ours }] },
      left: 'i-1 (eu-west-1)',
    },
    {
      name: 'a machine that has ended',
      account: { instances: [{ InstanceId: 'i-1', state: 'terminated', ...ours }] },
      left: undefined,
    },
    {
      name: 'a network in another region',
      account: { vpcs: [{ VpcId: 'vpc-1', region: 'us-east-1', ...ours }] },
      left: 'vpc-1 (us-east-1)',
    },
    { name: 'a disk', account: { volumes: [{ VolumeId: 'vol-1' }] }, left: 'vol-1' },
    { name: 'an address', account: { addresses: [{ AllocationId: 'eipalloc-1' }] }, left: 'eipalloc-1' },
    { name: 'a role', account: { roles: [{ RoleName: 'demo', Path: '/crate/' }] }, left: 'role demo' },
    { name: 'a role of somebody else', account: { roles: [{ RoleName: 'demo', Path: '/' }] }, left: undefined },
    {
      name: 'what another installation has',
      account: { vpcs: [{ VpcId: 'vpc-1', ...another }] },
      others: 'more,another',
      left: undefined,
    },
    {
      name: 'what another one has that nobody named',
      account: { vpcs: [{ VpcId: 'vpc-1', ...another }] },
      left: 'vpc-1',
    },
  ])('is asked to let the stack go while there is $name', async ({ account, others, left }) => {
    const answer = await ask('Delete', account, others);
    expect(answer).toMatchObject({ Status: left === undefined ? 'SUCCESS' : 'FAILED', PhysicalResourceId: 'as-made' });
    expect(answer?.Reason).toContain(left ?? 'Nothing is left');
    if (left !== undefined) expect(answer?.Reason).toContain('Removal');
  });

  it.each(['DescribeInstances', 'ListRoles'])('does not let it go when it cannot look: %s', async (refused) => {
    const answer = await ask('Delete', { refused, instances: [{ InstanceId: 'i-1', state: 'running' }] });
    expect(answer).toMatchObject({ Status: 'FAILED', Reason: expect.stringContaining(refused) });
    expect(answer?.Reason).toContain('--retain-resources Guard');
  });

  it('says in which region it cannot look', async () => {
    expect((await ask('Delete', { refused: 'DescribeVpcs' }))?.Reason).toContain(`${HOME}: not authorized`);
  });

  it('does not take a region that the organization has closed for one without anything, and names it', async () => {
    const answer = await ask('Delete', { closed: 'us-east-1' });
    expect(answer).toMatchObject({ Status: 'FAILED', Reason: expect.stringContaining('look in us-east-1: closed') });
  });

  it.each([
    { closedRegions: 'eu-north-1,us-east-1', status: 'SUCCESS' },
    { closedRegions: 'eu-north-1', status: 'FAILED' },
    { closedRegions: 'us-east-12', status: 'FAILED' },
  ])('lets the stack go where somebody has named the closed region: $closedRegions', async (row) => {
    expect(await ask('Delete', { closed: 'us-east-1' }, '', row.closedRegions)).toMatchObject({ Status: row.status });
  });

  it('says what it finds in all other regions', async () => {
    const answer = await ask('Delete', { closed: 'us-east-1', vpcs: [{ VpcId: 'vpc-1', ...ours }] });
    expect(answer?.Reason).toMatch(/^Crate still has vpc-1 \(eu-west-1\) .* look in us-east-1: closed/);
  });

  it('says what it finds by the calls that are allowed', async () => {
    const volumes = [{ VolumeId: 'vol-1', region: 'us-east-1', ...ours }];
    const answer = await ask('Delete', { refused: 'DescribeVpcs', volumes });
    expect(answer?.Reason).toMatch(/^Crate still has vol-1 \(us-east-1\) .*eu-west-1: not authorized/);
  });

  it('looks into a region that somebody has named, as long as it is open', async () => {
    const vpcs = [{ VpcId: 'vpc-1', region: 'us-east-1', ...ours }];
    expect((await ask('Delete', { vpcs }, '', 'us-east-1'))?.Reason).toContain('vpc-1 (us-east-1)');
  });

  it('does not let the stack go when its own region is closed', async () => {
    const answer = await ask('Delete', { closed: HOME });
    expect(answer).toMatchObject({ Status: 'FAILED', Reason: expect.stringContaining(`${HOME}: You are not`) });
  });

  it.each(['Create', 'Update'])('has nothing against %s', async (request) => {
    expect(await ask(request, { vpcs: [{ VpcId: 'vpc-1' }] })).toMatchObject({ Status: 'SUCCESS' });
  });

  it('names ten at most', async () => {
    const vpcs = Array.from({ length: 40 }, (_each, index) => ({ VpcId: `vpc-${index}` }));
    const reason = (await ask('Delete', { vpcs }))?.Reason;
    expect(reason).toContain('vpc-9 (eu-west-1) and 30 more');
    expect(reason).not.toContain('vpc-10');
  });
});
