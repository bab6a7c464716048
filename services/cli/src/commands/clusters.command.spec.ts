import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { FORCE_ANNOTATION } from '@crate/api';
import { forbidden, invalidSpec, notFound, toStatus, unavailable, type PlatformError } from '@crate/errors';
import { parse } from 'yaml';
import { FakeApi, type FakeAnswer } from '../testing/fake-api.js';
import { outputOf, type Written } from '../testing/output-of.js';
import { CLUSTERS, clusterObject } from '../testing/served.js';
import { clustersCommand } from './clusters.command.js';

const BASE = '/apis/lifecycle.crate.dev/v1alpha1/namespaces/team-a';
const ACCOUNTS = '/apis/cloud.crate.dev/v1alpha1/namespaces/team-a/cloudaccounts';
/** The name of a plan that the command makes up. */
const MADE_UP = /plans\/demo-[0-9a-f]{6}/;
const BLOCKER = {
  kind: 'aws_vpc',
  name: 'vpc-1',
  reason: 'StillInUse',
  message: 'In use',
  since: 'T',
  remedy: 'Free it',
};

/** What lifecycle says to whoever may force, of a cluster that is not being deleted. */
const NOT_YET = invalidSpec('Cluster "demo" is invalid: delete it first', [
  { reason: 'DeletionNotRequested', field: `metadata.annotations[${FORCE_ANNOTATION}]`, message: 'Delete it first' },
]);

let api: FakeApi;
let calls: { readonly call: string; readonly body: unknown }[];
let accounts: readonly object[];
let refusal: PlatformError | undefined;
/** Of single calls. */
let refusals: Map<string, PlatformError>;
/** What the next looks at the cluster find; then nothing. Undefined: it stays. */
let looks: object[] | undefined;
let plan: object;
/** What is said of the size of a pool. */
let scale: object | undefined;
/** How often a look at a plan finds nobody there. */
let outages: number;
let shown: string;

beforeEach(async () => {
  calls = [];
  shown = '';
  [looks, refusal, outages, scale] = [undefined, undefined, 0, undefined];
  refusals = new Map();
  accounts = [account('main', 'aws')];
  plan = { conditions: [{ type: 'Ready', status: 'True', reason: 'Ready', message: '' }] };
  jest.spyOn(process.stderr, 'write').mockImplementation((text) => Boolean((shown += String(text))));
  api = await FakeApi.start((method, path, body) => {
    if (method !== 'GET') calls.push({ call: `${method} ${path}`, body });
    if (refusal && method !== 'GET' && method !== 'DELETE') return refused(refusal);
    const single = refusals.get(`${method} ${path.replace(MADE_UP, 'plans/demo-1')}`);
    return single ? refused(single) : answerOf(method, path, body);
  });
});
afterEach(async () => {
  jest.restoreAllMocks();
  await api.stop();
});

function account(name: string, provider: string): object {
  return { metadata: { name }, spec: { provider } };
}

function refused(error: PlatformError): FakeAnswer {
  const status = toStatus(error);
  return { body: status, status: status.code };
}

const SPEC = {
  region: 'us-east-1',
  kubernetes: { engine: 'rke', version: 'v1.30.8' },
  nodePools: [{ name: 'web', replicas: 2 }],
};

function answerOf(method: string, path: string, body: unknown): FakeAnswer {
  if (path === ACCOUNTS) return { body: { items: accounts } };
  if (scale && path === `${BASE}/nodepools/demo.web/scale`) return { body: scale };
  if (path.startsWith(`${BASE}/plans/`)) {
    return method === 'GET' && outages-- > 0 ? refused(unavailable('No leader')) : { body: aPlan() };
  }
  if (method !== 'GET')
    return {
      body: path === `${BASE}/plans` ? aPlan() : { metadata: { name: 'demo' }, ...(body as object | undefined) },
    };
  if (path !== `${CLUSTERS}/demo`) return undefined;
  if (!looks) return { body: clusterObject('demo', { spec: SPEC }) };
  const found = looks.shift();
  return found ? { body: found } : refused(notFound('clusters', 'demo'));
}

function aPlan(): object {
  const metadata = { name: 'demo-1', namespace: 'team-a', uid: 'u-plan' };
  return { metadata, spec: { clusterRef: { name: 'demo' } }, status: plan };
}

async function run(...args: string[]): Promise<Written> {
  return outputOf(clustersCommand(), [...args, '-n', 'team-a', '--data-dir', api.dataDir]);
}

describe('crate clusters create', () => {
  it('asks for what options say, and takes the only account', async () => {
    const wish = ['--region', 'us-east-1', '--version', '1.31.4', '--nodes', '3', '--machine-type', 'm5.large'];
    const { stdout } = await run('create', 'demo', ...wish, '--control-plane', '1', '--add-on', 'docs');
    expect(stdout).toBe('Cluster "demo" is being created\n');
    expect(calls).toEqual([
      {
        call: `POST ${CLUSTERS}?fieldManager=crate-cli`,
        body: {
          apiVersion: 'lifecycle.crate.dev/v1alpha1',
          kind: 'Cluster',
          metadata: { name: 'demo', namespace: 'team-a' },
          spec: {
            accountRef: { name: 'main' },
            region: 'us-east-1',
            kubernetes: { version: 'v1.31.4' },
            controlPlane: { replicas: 1 },
            nodePools: [{ name: 'workers', replicas: 3, machineType: 'm5.large' }],
            addOns: [{ name: 'docs' }],
          },
        },
      },
    ]);
  });

  it('leaves the rest to a class, and writes the document without asking for anything', async () => {
    accounts = [];
    const wish = ['--class', 'small', '--param', 'workers=3', '--param', 'tier=web', '--pool', 'web=2:m5.large'];
    const { stdout } = await run('create', 'demo', ...wish, '--dry-run', 'client');
    expect(parse(stdout)).toMatchObject({
      spec: {
        classRef: { name: 'small' },
        parameters: { workers: 3, tier: 'web' },
        nodePools: [{ name: 'web', replicas: 2, machineType: 'm5.large' }],
      },
    });
    expect(calls).toEqual([]);
  });

  it.each([
    { reason: 'has two', options: ['--region', 'us-west-1'], want: { availabilityZones: 2 } },
    { reason: 'has all of the default', options: ['--region', 'us-west-2'], want: undefined },
    {
      reason: 'has two, and a class says how many',
      options: ['--region', 'us-west-1', '--class', 'small'],
      want: undefined,
    },
  ])('names zones only where the default is refused: the region $reason', async ({ options, want }) => {
    const { stdout } = await run('create', 'demo', ...options, '--dry-run', 'client');
    expect((parse(stdout) as { spec: { network?: object } }).spec.network).toEqual(want);
  });

  it('checks without creating, and prints what it would be', async () => {
    const { stdout } = await run('create', 'demo', '--region', 'us-east-1', '--dry-run', '-o', 'yaml');
    expect(calls[0]?.call).toBe(`POST ${CLUSTERS}?fieldManager=crate-cli&dryRun=All`);
    expect(parse(stdout)).toMatchObject({ kind: 'Cluster' });
  });

  it('chooses among accounts by provider', async () => {
    accounts = [account('main', 'aws'), account('play', 'sandbox-aws')];
    await run('create', 'demo', '--provider', 'sandbox-aws');
    expect(calls[0]?.body).toMatchObject({ spec: { accountRef: { name: 'play' } } });
    accounts = [account('one', 'aws'), account('two', 'aws')];
    await expect(run('create', 'demo', '--provider', 'aws')).rejects.toThrow(
      'choose with --account: one (aws), two (aws)',
    );
  });

  it('names the options for what the API misses', async () => {
    const causes = [{ reason: 'FieldValueRequired', field: 'spec.region', message: 'Required value' }];
    refusal = invalidSpec('Cluster "demo" is invalid: spec.region: Required value', causes);
    await expect(run('create', 'demo')).rejects.toMatchObject({
      details: { remedy: 'Say --region, or a --class that does' },
    });
  });

  it.each([
    { args: ['--pool', 'web'], want: /NAME=COUNT/ },
    { args: ['--pool', 'web=1', '--nodes', '2'], want: /for a cluster of one pool/ },
    { args: ['--machine-type', 'm5.large'], want: /needs --nodes/ },
    { args: ['--nodes', 'three'], want: /whole number/ },
  ])('refuses $args', async ({ args, want }) => {
    await expect(run('create', 'demo', ...args)).rejects.toThrow(want);
    expect(calls).toEqual([]);
  });
});

describe('crate clusters scale', () => {
  it.each([
    { args: [], query: '', said: 'is being scaled from 2 to 4 machines' },
    { args: ['--pool', 'web', '--dry-run'], query: '?dryRun=All', said: 'could be scaled (dry run)' },
  ])('sets the size of the pool with $args', async ({ args, query, said }) => {
    const { stdout } = await run('scale', 'demo', '--replicas', '4', ...args);
    expect(calls).toEqual([
      { call: `PATCH ${BASE}/nodepools/demo.web/scale${query}`, body: { spec: { replicas: 4 } } },
    ]);
    expect(stdout).toContain(`Pool web of cluster "demo" ${said}`);
  });

  it.each(['text', 'json'])('asks for nothing that is so already, and says so, with -o %s', async (format) => {
    scale = { kind: 'Scale', metadata: { name: 'demo.web' }, spec: { replicas: 2 } };
    const { stdout, stderr } = await run('scale', 'demo', '--replicas', '2', '-o', format);
    expect(stdout + stderr).toContain('Pool web of cluster "demo" is set to 2 machines already');
    expect(calls).toEqual([]);
  });

  it.each(['4', '2'])('prints how many there are to be as data, and no words: %s', async (replicas) => {
    scale = { kind: 'Scale', metadata: { name: 'demo.web' }, spec: { replicas: Number(replicas) } };
    const { stdout } = await run('scale', 'demo', '--replicas', replicas, '-o', 'json');
    expect(JSON.parse(stdout)).toEqual(scale);
  });

  it('asks nobody for a cluster without a name', async () => {
    await expect(run('scale', '', '--replicas', '4')).rejects.toMatchObject({ code: 'BadRequest' });
    await expect(run('upgrade', '')).rejects.toMatchObject({ code: 'BadRequest' });
  });

  it('says which pools there are', async () => {
    await expect(run('scale', 'demo', '--replicas', '4', '--pool', 'x')).rejects.toMatchObject({
      code: 'NotFound',
      message: 'Cluster "demo" has no pool "x"; it has: web',
    });
  });
});

describe('crate clusters upgrade', () => {
  const APPROVE = `POST ${BASE}/plans/demo-1/approve`;
  const MOVED = clusterObject('demo', { spec: { ...SPEC, kubernetes: { engine: 'rke', version: 'v1.31.8' } } });
  const ready = (reason: string): object[] => [{ type: 'Ready', status: 'True', reason, observedGeneration: 1 }];
  /** 20 minutes are over once so many looks at the cluster are left. */
  const timeOverAt = (left: number): void => {
    const now = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => now() + (looks?.length === left ? 20 * 60_000 : 0));
  };

  it('has carried out what was shown', async () => {
    const { stdout } = await run('upgrade', 'demo', '--yes');
    expect(calls[0]).toMatchObject({
      call: `POST ${BASE}/plans`,
      body: { spec: { clusterRef: { name: 'demo' }, changes: { kubernetes: { version: 'v1.31.8' } } } },
    });
    expect(calls[1]?.call).toMatch(/^POST .*\/plans\/demo-[0-9a-f]{6}\/approve$/);
    expect(calls[1]?.body).toEqual({ uid: 'u-plan' });
    expect(stdout).toContain('Cluster "demo" is being moved from v1.30.8 to v1.31.8');
  });

  it('waits over a moment in which the platform is away', async () => {
    outages = 2;
    const { stdout } = await run('upgrade', 'demo', '--yes');
    expect(stdout).toContain('Cluster "demo" is being moved from v1.30.8 to v1.31.8');
  });

  it('approves nothing when nobody can be asked, and leaves no plan behind', async () => {
    await expect(run('upgrade', 'demo')).rejects.toThrow('There is nobody to ask: say --yes');
    expect(calls.map(({ call }) => call.split(' ')[0])).toEqual(['POST', 'DELETE']);
    expect(calls.map(({ call }) => call)).not.toContain(APPROVE);
  });

  it('shows what it would lead to', async () => {
    const cost = { currency: 'USD', before: 1, after: 1, difference: 0, unknown: [], pricesOf: '2026-11-21' };
    plan = { ...plan, consequences: { impact: 'roll', fields: [], nodes: [], addOns: [], quota: [], cost } };
    const { stdout } = await run('upgrade', 'demo', '--to', '1.31.4', '--dry-run');
    expect(stdout).toMatch(/^Impact: roll\n/);
    expect(calls.map(({ call }) => call.split(' ')[0])).toEqual(['POST', 'DELETE']);
  });

  it('prints the plan as data, and what people read beside it', async () => {
    const { stdout, stderr } = await run('upgrade', 'demo', '--yes', '-o', 'json');
    expect(JSON.parse(stdout)).toMatchObject({ metadata: { uid: 'u-plan' } });
    expect(stderr).toContain('Cluster "demo" is being moved from v1.30.8 to v1.31.8');
    expect(JSON.parse((await run('upgrade', 'demo', '--dry-run', '-o', 'json')).stdout)).toMatchObject(aPlan());
  });

  it('prints null as data where there is nothing to do, and why beside it', async () => {
    const { stdout, stderr } = await run('upgrade', 'demo', '--to', '1.30.8', '-o', 'json');
    expect([stdout, stderr]).toEqual(['null\n', 'Cluster "demo" has v1.30.8 already\n']);
  });

  it('has nothing to do where the cluster has the version', async () => {
    const { stdout } = await run('upgrade', 'demo', '--to', '1.30.8');
    expect([stdout, calls]).toEqual(['Cluster "demo" has v1.30.8 already\n', []]);
  });

  it('leaves the plan to whoever may approve it, and says where', async () => {
    refusals.set(APPROVE, forbidden('Another person approves it'));
    const said = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    jest.spyOn(console, 'log').mockImplementation(() => undefined);
    const args = ['upgrade', 'demo', '--yes', '-n', 'team-a', '--data-dir', api.dataDir];
    await expect(clustersCommand().parseAsync(args, { from: 'user' })).rejects.toMatchObject({ code: 'Forbidden' });
    const line = `crate plan approve demo-1 -n team-a --data-dir ${api.dataDir}`;
    expect(said).toHaveBeenCalledWith(`The plan stays; somebody who may: ${line}`);
    expect(calls.map(({ call }) => call.split(' ')[0])).toEqual(['POST', 'POST']);
  });

  it('sees what is done by the time that is over', async () => {
    looks = [clusterObject('demo', { spec: SPEC }), MOVED, { ...MOVED, status: { conditions: ready('Ready') } }];
    plan = {
      get conditions() {
        return ready(looks?.length === 0 ? 'Executed' : 'Ready');
      },
    };
    timeOverAt(0);
    const { stdout } = await run('upgrade', 'demo', '--yes', '--wait', '--timeout', '20m');
    expect(stdout).toContain('Cluster "demo" is Ready with v1.31.8');
  });

  it('waits for all of it no longer than it is told, however late it is begun', async () => {
    looks = [clusterObject('demo', { spec: SPEC }), MOVED, MOVED];
    timeOverAt(1);
    await expect(run('upgrade', 'demo', '--yes', '--wait', '--timeout', '20m')).rejects.toMatchObject({
      code: 'Timeout',
      message: expect.stringMatching(/^Cluster "demo" is not Ready after 20m/),
    });
  });

  it('says why it cannot be', async () => {
    const end = { message: 'Another minor version is between' };
    plan = { conditions: [{ type: 'Ready', status: 'False', reason: 'Refused', message: '' }], end };
    await expect(run('upgrade', 'demo', '--to', 'v1.32.4', '--yes')).rejects.toThrow(
      'Another minor version is between',
    );
  });
});

describe('crate clusters pause and resume', () => {
  it.each([
    ['pause', true],
    ['resume', false],
  ])('%s', async (command, paused) => {
    await run(command, 'demo');
    expect(calls).toEqual([{ call: `PATCH ${CLUSTERS}/demo`, body: { spec: { paused } } }]);
    const { stdout } = await run(command, 'demo', '-o', 'yaml');
    expect(parse(stdout)).toMatchObject({ metadata: { name: 'demo' }, spec: { paused } });
  });
});

describe('crate clusters delete', () => {
  it('tells what is in the way, each once, until the cluster is gone', async () => {
    const blocked = clusterObject('demo', { status: { deletion: { requestedAt: '', blockers: [BLOCKER] } } });
    looks = [clusterObject('demo'), blocked, blocked];
    const { stdout } = await run('delete', 'demo');
    expect(calls.map(({ call }) => call)).toEqual([`DELETE ${CLUSTERS}/demo`]);
    expect(stdout).toBe('Cluster "demo" is being deleted\ncluster/demo is gone\n');
    expect(shown.match(/In the way since T: aws_vpc vpc-1: In use\n {2}What to do: Free it/g)).toHaveLength(1);
  });

  it('forces with a reason, once the deletion is under way', async () => {
    refusals.set(`PATCH ${CLUSTERS}/demo?dryRun=All`, NOT_YET);
    await run('delete', 'demo', '--force', '--reason', 'the account is closed', '--no-wait');
    expect(calls.map(({ call }) => call)).toEqual([
      `PATCH ${CLUSTERS}/demo?dryRun=All`,
      `DELETE ${CLUSTERS}/demo`,
      `PATCH ${CLUSTERS}/demo`,
    ]);
    const body = { metadata: { annotations: { [FORCE_ANNOTATION]: 'the account is closed' } } };
    expect([calls[0]?.body, calls[2]?.body]).toEqual([body, body]);
  });

  it.each([
    [['--force'], '--force needs --reason'],
    [['--force', '--reason', ' '], '--force needs --reason'],
    [['--reason', 'x'], '--reason is for --force only'],
  ])('asks nobody with %j', async (args, message) => {
    await expect(run('delete', 'demo', ...args)).rejects.toThrow(message);
    expect(calls).toEqual([]);
  });

  it('deletes nothing for somebody who may not force', async () => {
    refusal = forbidden('Only administrators');
    await expect(run('delete', 'demo', '--force', '--reason', 'x')).rejects.toMatchObject({
      code: 'Forbidden',
      message: 'Only administrators',
    });
    expect(calls.map(({ call }) => call)).toEqual([`PATCH ${CLUSTERS}/demo?dryRun=All`]);
  });

  it('says that the deletion is under way where it cannot be forced after all', async () => {
    refusals.set(`PATCH ${CLUSTERS}/demo`, unavailable('No leader'));
    await expect(run('delete', 'demo', '--force', '--reason', 'x')).rejects.toMatchObject({
      code: 'Unavailable',
      message: 'Cluster "demo" is being deleted, but not forced: No leader',
    });
  });

  it('has nothing to force where the cluster is gone by then', async () => {
    refusals.set(`PATCH ${CLUSTERS}/demo`, notFound('clusters', 'demo'));
    looks = [clusterObject('demo')];
    const { stdout } = await run('delete', 'demo', '--force', '--reason', 'x');
    expect(stdout).toContain('cluster/demo is gone\n');
  });
});
