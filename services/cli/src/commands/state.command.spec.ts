import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { notFound, toStatus } from '@crate/errors';
import { parse } from 'yaml';
import { FakeApi, type FakeAnswer } from '../testing/fake-api.js';
import { outputOf, type Written } from '../testing/output-of.js';
import { stateCommand } from './state.command.js';

const PROJECT = '/apis/cloud.crate.dev/v1alpha1/namespaces/team-a';
const OWNER = `${PROJECT}/infrastructures/demo`;
const SEEN = '2026-03-01T12:10:00Z';
const LOCK = { holder: 'ann', operation: 'apply', since: '2026-03-01T12:00:00Z', state: 'live', lastSeen: SEEN };
const VERSION = {
  metadata: { name: 'demo.7', creationTimestamp: '2026-03-01T11:00:00Z' },
  spec: { infrastructureRef: { name: 'demo' }, serial: 7, resources: 81, size: 4096, newest: true, run: 'r-1' },
};

let api: FakeApi;
let asked: string[];
let answers: Record<string, FakeAnswer>;
beforeEach(async () => {
  asked = [];
  answers = {
    [`${PROJECT}/stateversions`]: { body: { items: [VERSION] } },
    [`${PROJECT}/stateversions/demo.7`]: { body: VERSION },
    [`${OWNER}/lock`]: { body: {} },
    [`${OWNER}/unlock`]: { body: {} },
  };
  api = await FakeApi.start((method, path) => {
    asked.push(`${method} ${path}`);
    const [, name] = /stateversions\/([^/]+)/.exec(path) ?? [];
    return answers[path.split('?', 1)[0] ?? ''] ?? (name === undefined ? undefined : gone(name));
  });
});
afterEach(async () => {
  jest.restoreAllMocks();
  await api.stop();
});

async function state(...args: string[]): Promise<Written> {
  return outputOf(stateCommand(), [...args, '-n', 'team-a', '--data-dir', api.dataDir]);
}

describe('crate state', () => {
  it.each(['table', 'json', 'yaml'])('says that nothing is stored, as %s as well', async (format) => {
    answers[`${PROJECT}/stateversions`] = { body: { items: [] } };
    await expect(state('list', 'demo', '-o', format)).rejects.toMatchObject({ code: 'NotFound' });
  });

  it('shows the newest version for people, and who works on the state', async () => {
    answers[`${OWNER}/lock`] = { body: LOCK };
    const { stdout } = await state('show', 'demo');
    expect(stdout).toMatch(/^Version: +7, the newest$/m);
    expect(stdout).toMatch(/^Resources: +81$/m);
    expect(stdout).toMatch(/^Lock: +held by ann for apply since .+; live, last heard of at 2026-03-01T12:10:00Z$/m);
  });

  it('shows it as data', async () => {
    const want = { name: 'demo.7', serial: 7, lock: {} };
    expect(JSON.parse((await state('show', 'demo', '7', '-o', 'json')).stdout)).toMatchObject(want);
    expect(parse((await state('show', 'demo', '7', '-o', 'yaml')).stdout)).toMatchObject(want);
  });

  it.each([
    ['show', 'demo', '3'],
    ['diff', 'demo', '3', '7'],
    ['restore', 'demo', '3', '--reason', 'a test'],
  ])('says of %s which version is not kept, and where those are that are', async (...args) => {
    if (args[0] === 'diff') answers[`${PROJECT}/stateversions/demo.7/diff`] = gone('demo.3');
    await expect(state(...args)).rejects.toMatchObject({
      code: 'NotFound',
      message: 'No version 3 of the state of "demo" is kept in Project "team-a"',
      details: { remedy: `Those that are: crate state list demo -n team-a --data-dir ${api.dataDir}` },
    });
  });

  it('says which version is in place after a restore, as data as well', async () => {
    const { metadata, spec } = VERSION;
    const made = { metadata: { ...metadata, name: 'demo.8' }, spec: { ...spec, serial: 8, restoredFrom: 7 } };
    answers[`${PROJECT}/stateversions/demo.7/restore`] = { body: made };
    const restore = ['restore', 'demo', '7', '--reason', 'a test'];
    expect((await state(...restore)).stdout).toBe('Version 7 is in place as version 8\n');
    expect(JSON.parse((await state(...restore, '-o', 'json')).stdout)).toMatchObject({ name: 'demo.8', serial: 8 });
  });

  it('wants a reason for a restore that says something', async () => {
    await expect(state('restore', 'demo', '7', '--reason', ' ')).rejects.toMatchObject({ exitCode: 1 });
    expect(asked).toEqual([]);
  });
});

describe('crate state unlock', () => {
  it('asks before it takes the lock from a person who was heard of lately', async () => {
    answers[`${OWNER}/lock`] = { body: LOCK };
    await expect(state('unlock', 'demo')).rejects.toMatchObject({
      code: 'BadRequest',
      message: expect.stringMatching(/^ann was heard of at .* say --yes$/),
    });
    expect(asked).not.toContain(`POST ${OWNER}/unlock`);
    expect((await state('unlock', 'demo', '--yes')).stdout).toMatch(/^Took the lock that ann held for apply/);
  });

  it('takes an orphaned one at once', async () => {
    answers[`${OWNER}/lock`] = { body: { ...LOCK, state: 'orphaned' } };
    await state('unlock', 'demo');
    expect(asked).toContain(`POST ${OWNER}/unlock`);
  });
});

function gone(name: string): FakeAnswer {
  return { status: 404, body: toStatus(notFound('stateversions', name, 'cloud.crate.dev')) };
}
