import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { FleetPage, FleetRow } from '@crate/api';
import { PlatformError, toStatus } from '@crate/errors';
import { parse } from 'yaml';
import { fleetTable } from '../fleet/fleet-text.js';
import { FakeApi, type FakeAnswer } from '../testing/fake-api.js';
import { outputOf, type Written } from '../testing/output-of.js';
import { fleetCommand } from './fleet.command.js';

const AGO = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();

const ROW: FleetRow = {
  ...{ uid: 'u-1', namespace: 'team-a', name: 'demo', health: 'Healthy', attention: 0 },
  ...{ provider: 'aws', region: 'us-east-1', version: 'v1.31.4', engine: 'rke' },
  ...{ nodes: { ready: 3, wanted: 3 }, addOns: { ready: 1, wanted: 1 }, drifted: false, createdAt: AGO(90) },
};

const FAILED: FleetRow = {
  ...ROW,
  ...{ name: 'broken', health: 'Failing', attention: 92, nodes: { ready: 0, wanted: 3 } },
  cause: {
    ...{ condition: 'InfrastructureReady', reason: 'CredentialsRejected', message: 'The key was refused' },
    ...{ since: AGO(200), remedy: 'Give new ones' },
  },
};

const MOVING: FleetRow = {
  ...ROW,
  ...{ name: 'young', health: 'Progressing', progress: { step: 1, steps: 4, message: 'Infrastructure: VPC' } },
  cause: { condition: 'InfrastructureReady', reason: 'Provisioning', message: '', since: AGO(3) },
};

const NONE = { Failing: 0, Blocked: 0, Degraded: 0, Progressing: 0, Deleting: 0, Paused: 0, Healthy: 0 };

function page(rows: readonly FleetRow[], changes: Partial<FleetPage> = {}): FleetPage {
  const health = { ...NONE };
  for (const row of rows) health[row.health] += 1;
  const rollup = { health, byProject: [], byRegion: [], byVersion: [], byProvider: [] };
  const { length } = rows;
  return { kind: 'FleetPage', revision: '7', total: length, matching: length, offset: 0, rows, rollup, ...changes };
}

let api: FakeApi;
let asked: string[];
let answer: (path: string) => FakeAnswer;
beforeEach(async () => {
  asked = [];
  answer = () => ({ body: page([FAILED, MOVING, ROW]) });
  api = await FakeApi.start((_method, path) => {
    asked.push(path);
    return answer(path);
  });
});
afterEach(async () => {
  jest.restoreAllMocks();
  await api.stop();
});

async function fleet(...args: string[]): Promise<Written> {
  return outputOf(fleetCommand(), [...args, '--data-dir', api.dataDir]);
}

describe('crate fleet', () => {
  it('shows how clusters stand and why, in the order of the server, and counts them beside', async () => {
    const { stdout, stderr } = await fleet();
    expect(stdout).toBe(
      [
        'PROJECT  NAME    HEALTH       FOR     NODES  VERSION  REGION     CAUSE',
        'team-a   broken  Failing      3h      0/3    v1.31.4  us-east-1  InfrastructureReady CredentialsRejected: The key was refused; what to do: Give new ones',
        'team-a   young   Progressing  3m      3/3    v1.31.4  us-east-1  1/4 Infrastructure: VPC',
        'team-a   demo    Healthy      <none>  3/3    v1.31.4  us-east-1  <none>',
        '',
      ].join('\n'),
    );
    expect(stderr).toBe('3 clusters: 1 Failing, 1 Progressing, 1 Healthy\n');
    expect(asked).toEqual(['/fleet/clusters']);
  });

  it('asks the server for what is wanted', async () => {
    const filters = [
      '-p',
      'a,b',
      '--health',
      'Failing',
      '--region',
      'r',
      '--kubernetes-version',
      'v1',
      '--provider',
      'aws',
    ];
    const others = [
      '--engine',
      'rke',
      '--class',
      'golden',
      '-q',
      'a b',
      '--sort',
      '-cost',
      '--offset',
      '5',
      '--limit',
      '2',
    ];
    await fleet(...filters, ...others);
    expect(asked).toEqual([
      '/fleet/clusters?project=a%2Cb&health=Failing&region=r&version=v1&provider=aws&engine=rke&class=golden&q=a+b&sort=-cost&offset=5&limit=2',
    ]);
  });

  it('says which part of how many is shown', async () => {
    answer = () => ({ body: page([ROW], { total: 40, matching: 12, offset: 5 }) });
    expect((await fleet()).stderr).toBe('12 of 40 clusters: 1 Healthy; shown: 6-6\n');
    answer = () => ({ body: page([]) });
    expect(await fleet()).toMatchObject({ stdout: '', stderr: '0 clusters\n' });
  });

  it('prints all of it as data', async () => {
    expect(JSON.parse((await fleet('-o', 'json')).stdout)).toEqual(page([FAILED, MOVING, ROW]));
    const { stdout, stderr } = await fleet('-o', 'yaml');
    expect([parse(stdout), stderr]).toEqual([page([FAILED, MOVING, ROW]), '']);
  });

  it('hands on what the server says of a wrong value', async () => {
    const refusal = new PlatformError('BadRequest', 'limit: must be a whole number from 1 to 500');
    answer = () => ({ status: 400, body: toStatus(refusal) });
    await expect(fleet('--limit', 'x')).rejects.toMatchObject({ code: 'BadRequest', message: refusal.message });
  });

  it('shows it again as it changes, and ends when looking is not allowed any more', async () => {
    const events = [{ type: 'PAGE', page: page([ROW]) }, { type: 'BEAT' }, { type: 'PAGE', page: page([FAILED]) }];
    const text = events.map((event) => `${JSON.stringify(event)}\n`).join('');
    const away = { status: 503, body: 'upstream connect error' };
    const busy = { status: 429, body: toStatus(new PlatformError('TooManyRequests', 'Busy')) };
    const ended = { status: 401, body: toStatus(new PlatformError('Unauthenticated', 'Unauthorized')) };
    const answers = [{ body: Buffer.from(text) }, away, busy];
    answer = () => answers.shift() ?? ended;
    let stdout = '';
    jest.spyOn(process.stdout, 'write').mockImplementation((chunk) => Boolean((stdout += String(chunk))));
    const args = ['-w', '-o', 'json', '--data-dir', api.dataDir];
    await expect(fleetCommand().parseAsync(args, { from: 'user' })).rejects.toMatchObject({ code: 'Unauthenticated' });
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as FleetPage).rows[0]?.name),
    ).toEqual(['demo', 'broken']);
    expect(asked).toEqual(Array(4).fill('/fleet/clusters?watch=true'));
  });

  it('does not wait for a platform that is away from the beginning', async () => {
    answer = () => ({ status: 503, body: 'upstream connect error' });
    await expect(fleet('-w')).rejects.toMatchObject({ code: 'Unavailable' });
  });
});

describe('fleetTable', () => {
  it('cuts causes where the terminal ends', () => {
    const lines = fleetTable(page([FAILED]), { now: new Date(), columns: 90 });
    expect(lines[1]).toMatch(/^team-a .*InfrastructureReady C.*…$/);
    expect(lines.map((line) => line.length <= 90)).toEqual([true, true]);
  });
});
