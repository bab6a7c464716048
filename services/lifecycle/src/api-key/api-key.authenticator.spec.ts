import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ApiKey, Project } from '@crate/api';
import { unavailable } from '@crate/errors';
import { eventually } from '@crate/testing';
import { aMeta } from '../testing/a-cluster.js';
import { anApiKey, Found } from '../testing/an-api-key.js';
import { InMemoryApiKeyTokens } from '../testing/in-memory-api-key-tokens.js';
import { ApiKeyAuthenticator } from './api-key.authenticator.js';
import { makeToken } from './api-key.token.js';

const HOUR_MS = 3_600_000;

let nowMs: number;
let setBackMs: number;
let tokens: InMemoryApiKeyTokens;
let keys: Found<ApiKey>;
let projects: Found<Project>;
let uses: string[];
let machines: ApiKeyAuthenticator;
let token: string;
let id: string;

beforeEach(async () => {
  nowMs = Date.parse('2026-01-01T00:00:00Z');
  setBackMs = 0;
  tokens = new InMemoryApiKeyTokens();
  keys = new Found(anApiKey());
  projects = new Found({ kind: 'Project', metadata: { ...aMeta('team-a'), uid: 'uid-team-a' } } as Project);
  uses = [];
  const onUse = ({ project, name }: { project: string; name: string }): Promise<void> => {
    uses.push(`${project}/${name}`);
    return Promise.resolve();
  };
  const clocks = { now: () => nowMs - setBackMs, elapsed: () => nowMs };
  machines = new ApiKeyAuthenticator({ tokens, keys, projects, onUse, ...clocks });
  const made = makeToken();
  ({ token, id } = made);
  await tokens.add(
    {
      ...{ id, digest: made.digest, project: 'team-a', projectUid: 'uid-team-a', name: 'ci', keyUid: 'uid-ci' },
      ...{ issuedBy: 'ada', issuedAt: new Date(nowMs), expiresAt: new Date(nowMs + HOUR_MS) },
    },
    new Date(nowMs),
  );
});

const refusal = { code: 'Unauthenticated', message: 'Unauthorized' };

describe('a machine with the token of an API key', () => {
  it('is the key, with its role in its Project', async () => {
    expect(await machines.authenticate(token)).toEqual({
      user: 'system:apikey:team-a:ci',
      groups: ['system:authenticated', 'system:apikeys:team-a'],
      extra: {
        'authentication.crate.dev/project': ['team-a'],
        'authentication.crate.dev/role': ['operator'],
        'authentication.crate.dev/token-prefix': [`crate_${id}`],
      },
    });
  });

  it('carries the scope of the key along', async () => {
    keys.object = anApiKey({ scope: { resources: ['clusters'], verbs: ['get'] } });
    expect((await machines.authenticate(token)).extra).toMatchObject({
      'authentication.crate.dev/resources': ['clusters'],
      'authentication.crate.dev/verbs': ['get'],
    });
  });

  it('costs one look-up however many requests come at once', async () => {
    await Promise.all(Array.from({ length: 100 }, () => machines.authenticate(token)));
    expect(tokens.finds).toBe(1);
  });

  it('is noted as used once in some minutes', async () => {
    for (let second = 0; second < 290; second += 10) {
      nowMs += 10_000;
      await machines.authenticate(token);
    }
    expect(uses).toEqual(['team-a/ci']);
    nowMs += 60_000;
    await machines.authenticate(token);
    expect(uses).toEqual(['team-a/ci', 'team-a/ci']);
  });
});

const revocations: readonly { name: string; revoke: () => void }[] = [
  { name: 'the key is disabled', revoke: () => (keys.object = anApiKey({ disabled: true })) },
  { name: 'the key is deleted', revoke: () => (keys.object = undefined) },
  {
    name: 'the key is being deleted',
    revoke: () => {
      const key = anApiKey();
      keys.object = { ...key, metadata: { ...key.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
    },
  },
  {
    name: 'another key has its name',
    revoke: () => {
      const key = anApiKey();
      keys.object = { ...key, metadata: { ...key.metadata, uid: 'another' } };
    },
  },
  { name: 'the Project is deleted', revoke: () => (projects.object = undefined) },
  {
    name: 'another Project has its name',
    revoke: () => (projects.object = { kind: 'Project', metadata: { ...aMeta('team-a'), uid: 'another' } } as Project),
  },
  { name: 'the key ends', revoke: () => (keys.object = anApiKey({ expiresAt: '2026-01-01T00:00:01Z' })) },
  { name: 'the token ends', revoke: () => (nowMs += HOUR_MS) },
  { name: 'the token is rotated away', revoke: () => tokens.all.clear() },
];

describe('a token is refused within two seconds after', () => {
  it.each(revocations)('$name, used all the while', async ({ revoke }) => {
    await machines.authenticate(token);
    revoke();
    const answers: string[] = [];
    for (let step = 0; step < 20; step += 1) {
      nowMs += 100;
      answers.push(
        await machines.authenticate(token).then(
          () => 'accepted',
          () => 'refused',
        ),
      );
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(answers.at(-1)).toBe('refused');
    expect(answers.lastIndexOf('accepted')).toBeLessThan(10);
  });

  it.each(revocations)('$name, not used meanwhile', async ({ revoke }) => {
    await machines.authenticate(token);
    revoke();
    nowMs += 1_600;
    await expect(machines.authenticate(token)).rejects.toMatchObject(refusal);
  });
});

it('a token is refused within two seconds also where the clock was set back', async () => {
  await machines.authenticate(token);
  setBackMs = HOUR_MS;
  keys.object = anApiKey({ disabled: true });
  nowMs += 1_600;
  await expect(machines.authenticate(token)).rejects.toMatchObject(refusal);
});

describe('a token is refused, always in the same words,', () => {
  it.each([
    { name: 'that nobody issued', given: () => makeToken().token },
    { name: 'that is mistyped', given: () => `${token.slice(0, -1)}-` },
    { name: 'that is missing', given: () => undefined },
  ])('$name', async ({ given }) => {
    await expect(machines.authenticate(given())).rejects.toMatchObject(refusal);
  });

  it('whose id belongs to another secret', async () => {
    const other = makeToken();
    const stored = tokens.all.get(id);
    if (stored) tokens.all.set(other.id, { ...stored, id: other.id });
    await expect(machines.authenticate(other.token)).rejects.toMatchObject(refusal);
  });
});

describe('while nobody can tell', () => {
  beforeEach(async () => {
    await machines.authenticate(token);
    tokens.failure = unavailable('Away');
  });

  it('a verdict of just now still counts', async () => {
    nowMs += 1_000;
    expect(await machines.authenticate(token)).toMatchObject({ user: 'system:apikey:team-a:ci' });
  });

  it('an older one does not: the answer is 503, not 401, and nothing is remembered of it', async () => {
    nowMs += 1_600;
    await expect(machines.authenticate(token)).rejects.toMatchObject({ code: 'Unavailable' });
    tokens.failure = undefined;
    nowMs += 1_600;
    await eventually(async () =>
      expect(await machines.authenticate(token)).toMatchObject({ groups: expect.anything() }),
    );
  });
});
