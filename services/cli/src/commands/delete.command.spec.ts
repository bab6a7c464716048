import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { conflict, toStatus } from '@crate/errors';
import { stringify } from 'yaml';
import { directoryWith } from '../testing/files-of.js';
import { FakeApi, type FakeAnswer } from '../testing/fake-api.js';
import { outputOf, type Written } from '../testing/output-of.js';
import { CLUSTERS, clusterObject, discoveryAnswer } from '../testing/served.js';
import { deleteCommand } from './delete.command.js';
import { waitCommand } from './wait.command.js';

const BLOCKER = {
  kind: 'aws_vpc',
  name: 'vpc-1',
  reason: 'StillInUse',
  message: 'In use',
  since: 'T',
  remedy: 'Free it',
};

const PROJECT = '/apis/lifecycle.crate.dev/v1alpha1/projects/team-a';
const IN_USE: FakeAnswer = { body: toStatus(conflict('Project "team-a" still holds Cluster demo')), status: 409 };

/** What the front door says of a kind whose owner is away. */
const PATH_NOT_FOUND = {
  kind: 'Status',
  status: 'Failure',
  reason: 'NotFound',
  code: 404,
  details: {},
  message: 'no path',
};

let api: FakeApi;
let calls: { readonly call: string; readonly body: unknown }[];
/** What looks at the cluster "demo" find, one after the other; the last stays. */
let looks: (object | undefined)[];
let shown: string;
/** What deletions of paths are refused with, if they are. */
let refusals: Map<string, () => FakeAnswer>;
let isProjectThere: boolean;

beforeEach(async () => {
  [calls, shown] = [[], ''];
  looks = [clusterObject('demo')];
  refusals = new Map();
  isProjectThere = true;
  jest.spyOn(process.stderr, 'write').mockImplementation((text) => Boolean((shown += String(text))));
  api = await FakeApi.start((method, path, body) => discoveryAnswer(path) ?? answerOf(method, path, body));
});
afterEach(async () => {
  jest.restoreAllMocks();
  await api.stop();
});

function answerOf(method: string, path: string, body: unknown): FakeAnswer {
  if (method === 'DELETE') return takenAway(path, body);
  if (path === PROJECT && isProjectThere) return { body: { metadata: { name: 'team-a', uid: 'uid-team-a' } } };
  if (path.includes('labelSelector=none')) return { body: { metadata: {}, items: [] } };
  if (path.startsWith(`${CLUSTERS}?`)) return { body: { metadata: {}, items: [clusterObject('demo')] } };
  if (path !== `${CLUSTERS}/demo`) return undefined;
  const found = looks.length > 1 ? looks.shift() : looks[0];
  return found && { body: found, status: found === PATH_NOT_FOUND ? 404 : 200 };
}

function takenAway(path: string, body: unknown): FakeAnswer {
  calls.push({ call: `DELETE ${path}`, body });
  const refusal = refusals.get(path)?.();
  if (path === PROJECT) isProjectThere = refusal !== undefined;
  return refusal ?? { body: {} };
}

async function run(command: typeof deleteCommand, ...args: string[]): Promise<Written> {
  return outputOf(command(), [...args, '-n', 'team-a', '--data-dir', api.dataDir]);
}

describe('crate delete', () => {
  it('deletes the very object, and says what is in the way, each once, until it is gone', async () => {
    const blocked = clusterObject('demo', { status: { deletion: { blockers: [BLOCKER] } } });
    looks = [clusterObject('demo'), blocked, blocked, undefined];
    const { stdout, exitCode } = await run(deleteCommand, 'cluster', 'demo');
    expect(calls).toEqual([
      {
        call: `DELETE ${CLUSTERS}/demo`,
        body: expect.objectContaining({ preconditions: { uid: 'uid-demo' }, propagationPolicy: 'Background' }),
      },
    ]);
    expect(stdout).toBe('cluster.lifecycle.crate.dev "demo" is being deleted\ncluster/demo is gone\n');
    expect(shown.match(/In the way since T: aws_vpc vpc-1: In use\n {2}What to do: Free it/g)).toHaveLength(1);
    expect(exitCode).toBe(0);
  });

  it('waits on while nobody knows of such objects', async () => {
    looks = [clusterObject('demo'), PATH_NOT_FOUND, clusterObject('demo'), undefined];
    expect((await run(deleteCommand, 'cl', 'demo')).stdout).toContain('is gone');
    expect(looks).toEqual([undefined]);
    looks = [PATH_NOT_FOUND];
    expect((await run(deleteCommand, 'cl', 'demo', '--ignore-not-found')).exitCode).toBe(3);
  });

  it('takes another object of the name for what it is', async () => {
    looks = [clusterObject('demo'), { ...clusterObject('demo'), metadata: { name: 'demo', uid: 'another' } }];
    expect((await run(deleteCommand, 'cl/demo')).stdout).toContain('is gone');
  });

  it('deletes nothing in a dry run', async () => {
    const { stdout } = await run(deleteCommand, 'cl', 'demo', '--dry-run', 'server');
    expect(calls).toEqual([
      { call: `DELETE ${CLUSTERS}/demo?dryRun=All`, body: expect.objectContaining({ dryRun: ['All'] }) },
    ]);
    expect(stdout).toContain('would be deleted (dry run)');
  });

  it('returns at once when told to, also for what is selected', async () => {
    expect((await run(deleteCommand, 'cl', '-l', 'a=b', '--no-wait')).stdout).not.toContain('gone');
    expect(calls).toHaveLength(1);
  });

  it('tells what is not there, and may be told that this is fine', async () => {
    expect((await run(deleteCommand, 'cl', 'nope')).exitCode).toBe(3);
    expect((await run(deleteCommand, 'cl', 'nope', '--ignore-not-found')).exitCode).toBe(0);
    expect(calls).toEqual([]);
  });

  it('takes it for fine that nothing matches, when told to', async () => {
    expect((await run(deleteCommand, 'cl', '-l', 'none', '--ignore-not-found')).exitCode).toBe(0);
    await expect(run(deleteCommand, 'cl', '-l', 'none')).rejects.toMatchObject({ code: 'NotFound' });
    expect(calls).toEqual([]);
  });

  describe('of a file', () => {
    let file: Awaited<ReturnType<typeof directoryWith>>;
    beforeEach(async () => {
      const kinds = [
        ['Project', 'team-a'],
        ['Cluster', 'demo'],
      ] as const;
      const documents = kinds.map(([kind, name]) =>
        stringify({ apiVersion: 'lifecycle.crate.dev/v1alpha1', kind, metadata: { name } }),
      );
      file = await directoryWith({ 'all.yaml': documents.join('---\n') });
    });
    afterEach(async () => file.remove());
    const order = (): readonly string[] => calls.map(({ call }) => call.split('/').at(-1) ?? '');

    it('comes back to what others were in once those are gone', async () => {
      looks = [clusterObject('demo'), clusterObject('demo'), undefined];
      const forged = conflict('Project "team-a" still holds\nCluster demo\u001b[K');
      const answers = [{ body: toStatus(forged), status: 409 }, IN_USE];
      refusals.set(PROJECT, () => answers.shift());
      const { exitCode, stderr, stdout } = await run(deleteCommand, '-f', file.path);
      expect(order()).toEqual(['demo', 'team-a', 'team-a', 'team-a']);
      expect(stderr).toBe('project/team-a has to wait: Project "team-a" still holds Cluster demo\\u001b[K\n');
      expect([exitCode, stdout]).toEqual([0, expect.stringContaining('project/team-a is gone')]);
    });

    it('asks a few times only for what stays refused once all others are gone, and no longer than it may take', async () => {
      looks = [clusterObject('demo'), clusterObject('demo'), undefined];
      refusals.set(PROJECT, () => IN_USE);
      const { exitCode, stderr } = await run(deleteCommand, '-f', file.path, '--timeout', '3s');
      expect([exitCode, stderr]).toEqual([4, expect.stringContaining('crate: project/team-a: Project "team-a" still')]);
      expect(order().length).toBeLessThanOrEqual(6);
    });

    it.each([
      { how: 'with nothing that goes', more: [] },
      { how: 'without waiting', more: ['--no-wait'] },
    ])('says what is refused, $how', async ({ more }) => {
      for (const path of [PROJECT, `${CLUSTERS}/demo`]) refusals.set(path, () => IN_USE);
      const { exitCode } = await run(deleteCommand, '-f', file.path, ...more);
      expect([exitCode, order()]).toEqual([4, ['demo', 'team-a']]);
    });
  });

  it('ends when it takes too long, with what is there by then', async () => {
    looks = [clusterObject('demo', { status: { progress: { step: 1, steps: 3, message: 'Removing' } } })];
    await expect(run(deleteCommand, 'cl', 'demo', '--timeout', '0')).rejects.toMatchObject({
      code: 'Timeout',
      message: 'cluster/demo is not gone after 0s: Removing',
    });
  });

  it('asks for no deletion when it is not said of what', async () => {
    await expect(run(deleteCommand, 'clusters')).rejects.toThrow('Say which clusters: NAME, -l SELECTOR or --all');
    expect(calls).toEqual([]);
  });

  it.each(['', ' '])(
    'does not take the selector "%s", such as of a variable that is not set, for all',
    async (given) => {
      await expect(run(deleteCommand, 'clusters', '-l', given, '--no-wait')).rejects.toMatchObject({
        code: 'BadRequest',
        message: expect.stringContaining('-l is empty: it would select all of them'),
      });
      expect(calls).toEqual([]);
    },
  );
});

describe('crate wait', () => {
  const condition = { type: 'Ready', status: 'True', reason: 'Ready', message: '' };
  const failing = { ...condition, status: 'False', reason: 'QuotaExceeded', message: 'Ask for more' };

  it('holds once the condition is that of the newest spec', async () => {
    const old = { status: { conditions: [{ ...condition, observedGeneration: 0 }] } };
    const now = { status: { conditions: [{ ...condition, observedGeneration: 1 }], progress: { step: 1, steps: 1 } } };
    looks = [clusterObject('demo', old), clusterObject('demo', now)];
    const { stdout } = await run(waitCommand, 'cl/demo', '--for', 'condition=ready');
    expect([stdout, shown]).toEqual(['cluster/demo is ready\n', '[0s] cluster/demo Waiting to start\n']);
  });

  it.each([
    { given: 'condition=Ready=False', want: 'cluster/demo has Ready=False' },
    { given: 'jsonpath={.spec.region}=us-east-1', want: 'cluster/demo has {.spec.region}=us-east-1' },
    { given: 'jsonpath={.status.conditions[?(@.type=="Ready")].reason}', want: 'cluster/demo has {.status.conditions' },
    { given: 'create', want: 'cluster/demo is there' },
  ])('holds for $given', async ({ given, want }) => {
    looks = [clusterObject('demo', { status: { conditions: [failing] } })];
    expect((await run(waitCommand, 'cl/demo', '--for', given)).stdout).toContain(want);
  });

  it('holds for a deletion when there is none of the name', async () => {
    looks = [undefined];
    expect((await run(waitCommand, 'cl/demo', '--for', 'delete')).stdout).toBe('cluster/demo is gone\n');
  });

  it.each([
    { given: 'condition=Ready', want: 'is not Ready after 0s: Ready is False, QuotaExceeded: Ask for more' },
    { given: 'condition=Reddy', want: 'is not Reddy after 0s: it has no condition Reddy; there is Ready' },
    { given: 'jsonpath={.spec.region}=eu-west-1', want: 'has not {.spec.region}=eu-west-1 after 0s: it has us-east-1' },
  ])('says why $given does not come about', async ({ given, want }) => {
    looks = [clusterObject('demo', { status: { conditions: [failing] } })];
    const ended = run(waitCommand, 'cl/demo', '--timeout', '0', '--for', given);
    await expect(ended).rejects.toMatchObject({ code: 'Timeout', message: `cluster/demo ${want}` });
  });

  it('says of what is not Ready how far it is, and what to do about its failure', async () => {
    const progress = { step: 3, steps: 4, message: 'Add-ons: 1 of 3 ready; docs: exceeded quota' };
    const failure = { code: 'ManifestRejected', message: 'Forbidden', remedy: 'Correct it' };
    for (const [status, want] of [
      [{ progress }, 'QuotaExceeded: Add-ons: 1 of 3 ready; docs: exceeded quota'],
      [{ progress, failure }, 'QuotaExceeded: ManifestRejected: Forbidden. Correct it'],
    ] as const) {
      looks = [clusterObject('demo', { status: { conditions: [failing], ...status } })];
      const ended = run(waitCommand, 'cl/demo', '--timeout', '0', '--for', 'condition=Ready');
      await expect(ended).rejects.toThrow(`cluster/demo is not Ready after 0s: Ready is False, ${want}`);
    }
  });

  it('gives the words of what is not known, which no progress tells', async () => {
    const unknown = { ...failing, status: 'Unknown', reason: 'CredentialsRejected', message: 'Unauthorized' } as const;
    const progress = { step: 3, steps: 4, message: 'Waiting for the API server' };
    looks = [clusterObject('demo', { status: { conditions: [unknown], progress } })];
    const ended = run(waitCommand, 'cl/demo', '--timeout', '0', '--for', 'condition=Ready');
    await expect(ended).rejects.toThrow('Ready is Unknown, CredentialsRejected: Unauthorized');
  });

  it('does not wait for what is not there', async () => {
    await expect(run(waitCommand, 'cl/nope', '--for', 'condition=Ready')).rejects.toMatchObject({ code: 'NotFound' });
  });
});
