import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { alreadyExists, PlatformError, toStatus } from '@crate/errors';
import { parse } from 'yaml';
import { FakeApi, type FakeAnswer } from '../testing/fake-api.js';
import { outputOf, type Written } from '../testing/output-of.js';
import { keysCommand } from './keys.command.js';

const KEYS = '/apis/lifecycle.crate.dev/v1alpha1/namespaces/team-a/apikeys';
const MADE = { body: {}, status: 201 };

let api: FakeApi;
let answers: Record<string, FakeAnswer>;
beforeEach(async () => {
  answers = {};
  api = await FakeApi.start((method, path) => answers[`${method} ${path}`]);
});
afterEach(async () => api.stop());

async function keys(...args: string[]): Promise<Written> {
  return outputOf(keysCommand(), [...args, '-n', 'team-a', '--data-dir', api.dataDir]);
}

async function create(): Promise<Written> {
  return keys('create', 'ci', '--role', 'viewer');
}

function refused(error: PlatformError): FakeAnswer {
  const body = toStatus(error);
  return { body, status: body.code };
}

describe('crate keys create', () => {
  it('gives the token alone to whoever reads the output', async () => {
    answers[`POST ${KEYS}`] = MADE;
    const status = { token: 'crate_1', expirationTimestamp: '2027-01-31T00:00:00Z' };
    answers[`POST ${KEYS}/ci/token`] = { body: { status }, status: 201 };
    expect(await create()).toMatchObject({ stdout: 'crate_1\n', stderr: expect.stringContaining('2027-01-31') });
  });

  it('gives token and end as data, of a key that is made and of one that has a new token', async () => {
    answers[`POST ${KEYS}`] = MADE;
    const status = { token: 'crate_1', expirationTimestamp: '2027-01-31T00:00:00Z' };
    answers[`POST ${KEYS}/ci/token`] = { body: { status }, status: 201 };
    const made = await keys('create', 'ci', '--role', 'viewer', '-o', 'json');
    expect(JSON.parse(made.stdout)).toEqual({ status });
    expect(parse((await keys('issue', 'ci', '-o', 'yaml')).stdout)).toEqual({ status });
  });

  it('says that the key is there, and how it gets a token, when none was issued', async () => {
    answers[`POST ${KEYS}`] = MADE;
    answers[`POST ${KEYS}/ci/token`] = refused(new PlatformError('Unavailable', 'Not now'));
    await expect(create()).rejects.toMatchObject({
      code: 'Unavailable',
      message: 'Key ci is made, but nobody has a token of it: Not now',
      details: { remedy: `Issue one with: crate keys issue ci -n team-a --data-dir ${api.dataDir}` },
    });
  });

  it('says of a key that is there already how it gets a token', async () => {
    answers[`POST ${KEYS}`] = refused(alreadyExists('APIKey', 'ci'));
    await expect(create()).rejects.toMatchObject({
      code: 'AlreadyExists',
      details: { remedy: expect.stringContaining(`crate keys issue ci -n team-a --data-dir ${api.dataDir}`) },
    });
  });

  it('leaves other refusals of the key as they are', async () => {
    answers[`POST ${KEYS}`] = refused(new PlatformError('Forbidden', 'Not for you'));
    await expect(create()).rejects.toMatchObject({ code: 'Forbidden', message: 'Not for you', details: {} });
  });
});
