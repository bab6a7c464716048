import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CLOUD_ACCOUNT, KUBERNETES_CLUSTER, POLICY } from '@crate/api';
import { PLATFORM_ADMIN_GROUP } from '@crate/auth';
import { eventually, freePort } from '@crate/testing';
import type { ApiAnswer } from '../testing/api-call.js';
import { PlatformBench } from '../testing/platform-bench.js';

const LIFECYCLE = '/apis/lifecycle.crate.dev/v1alpha1';
const REVIEWS = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
/** What the platform promises of a revocation. */
const REVOKED_WITHIN_MS = 2_000;

let bench: PlatformBench;
let admin: string;
let secondPort: number;
let project: string;
let count = 0;

beforeAll(async () => {
  bench = await PlatformBench.start();
  admin = bench.tokenFor(PLATFORM_ADMIN_GROUP);
  secondPort = await freePort();
  await bench.startLifecycle();
  await bench.startLifecycle({}, secondPort);
  await bench.startNeighbour('policy-mgmt', { kinds: [{ definition: POLICY }] });
  await bench.startNeighbour('cluster-mgmt', { kinds: [{ definition: KUBERNETES_CLUSTER }] });
  await bench.startNeighbour('cloud-mgmt', { kinds: [{ definition: CLOUD_ACCOUNT }] });
});
afterAll(async () => bench.close());

beforeEach(async () => {
  count += 1;
  project = `team-${count}`;
  const members = [{ kind: 'User', name: 'ada', role: 'admin' }];
  await make(`${LIFECYCLE}/projects`, { kind: 'Project', metadata: { name: project }, spec: { members } });
});

async function make(path: string, object: object, token = admin): Promise<ApiAnswer> {
  const body = { apiVersion: 'lifecycle.crate.dev/v1alpha1', ...object };
  return bench.call({ method: 'POST', path, body, token });
}

async function makeKey(spec: object = { role: 'operator' }, name = 'ci'): Promise<ApiAnswer> {
  return make(keys(), { kind: 'APIKey', metadata: { name }, spec });
}

function keys(): string {
  return `${LIFECYCLE}/namespaces/${project}/apikeys`;
}

async function issue(body: object = {}, token = admin): Promise<ApiAnswer> {
  return bench.call({ method: 'POST', path: `${keys()}/ci/token`, body, token });
}

async function issueToken(): Promise<string> {
  const { status, body } = await issue();
  expect(status).toBe(201);
  return (body['status'] as { token: string }).token;
}

async function whoAmI(token: string, port?: number): Promise<ApiAnswer> {
  return bench.call({ method: 'POST', path: REVIEWS, body: {}, token }, port);
}

/** Returns once its end has come. */
async function endKeyAfter(ms: number): Promise<void> {
  // An end that is over by the time it arrives is refused, and another one set.
  const end = await eventually(async () => {
    const next = Date.now() + ms;
    await patchKey({ spec: { expiresAt: new Date(next).toISOString() } });
    return next;
  });
  await delay(end - Date.now());
}

async function patchKey(patch: object): Promise<void> {
  const contentType = 'application/merge-patch+json';
  const { status } = await bench.call({
    method: 'PATCH',
    path: `${keys()}/ci`,
    body: patch,
    contentType,
    token: admin,
  });
  expect(status).toBe(200);
}

describe('an API key', () => {
  it('lets a machine in, as itself, with its role in its Project alone', async () => {
    expect((await makeKey()).status).toBe(201);
    const token = await issueToken();
    expect(token).toMatch(/^crate_[0-9A-Za-z]{65}$/);
    const { body } = await whoAmI(token);
    expect(body['status']).toMatchObject({
      userInfo: {
        username: `system:apikey:${project}:ci`,
        groups: ['system:authenticated', `system:apikeys:${project}`],
        extra: { 'authentication.crate.dev/role': ['operator'], 'authentication.crate.dev/project': [project] },
      },
    });
    const clusters = (of: string) => bench.call({ path: `${LIFECYCLE}/namespaces/${of}/clusters`, token });
    expect([(await clusters(project)).status, (await clusters('team-0')).status]).toEqual([200, 403]);
    expect((await bench.call({ path: keys(), token })).status).toBe(403);
  });

  it('shows whose it is, how its token begins, when it ends and that it is used, but never the token', async () => {
    await makeKey({ role: 'viewer', lifetime: '2h' });
    const unissued = (await bench.call({ path: `${keys()}/ci`, token: admin })).body;
    expect(unissued['metadata']).toMatchObject({
      annotations: { 'lifecycle.crate.dev/created-by': 'ada' },
      ownerReferences: [{ kind: 'Project', name: project }],
    });
    const token = await issueToken();
    await whoAmI(token);
    await eventually(async () => {
      const { body } = await bench.call({ path: `${keys()}/ci`, token: admin });
      expect(body['status']).toMatchObject({
        conditions: [{ type: 'Ready', status: 'True', reason: 'Issued' }],
        createdBy: 'ada',
        issuedBy: 'ada',
        tokenPrefix: token.slice(0, 22),
        lastUsedAt: expect.any(String),
      });
      const { issuedAt, expiresAt } = body['status'] as { issuedAt: string; expiresAt: string };
      expect(Date.parse(expiresAt) - Date.parse(issuedAt)).toBe(2 * 3_600_000);
      expect(JSON.stringify(body)).not.toContain(token);
    });
    expect(JSON.stringify(bench.logger.lines)).not.toContain(token);
  });

  it('has its token replaced by the next one, at once or after an overlap', async () => {
    await makeKey();
    const first = await issueToken();
    const second = (await issue({ spec: { overlap: '1h' } })).body['status'] as { token: string };
    expect((await whoAmI(first)).status).toBe(201);
    const third = await issueToken();
    await eventually(async () => expect((await whoAmI(second.token)).status).toBe(401), {
      timeoutMs: REVOKED_WITHIN_MS,
    });
    await eventually(async () => expect((await whoAmI(first)).status).toBe(401), { timeoutMs: REVOKED_WITHIN_MS });
    expect((await whoAmI(third)).status).toBe(201);
  });

  it('keeps its maker, whatever is applied over it', async () => {
    await makeKey();
    await patchKey({
      metadata: { annotations: { 'lifecycle.crate.dev/created-by': 'nobody' }, ownerReferences: null },
    });
    const { body } = await bench.call({ path: `${keys()}/ci`, token: admin });
    expect(body['metadata']).toMatchObject({
      annotations: { 'lifecycle.crate.dev/created-by': 'ada' },
      ownerReferences: [{ name: project }],
    });
  });
});

describe('a token ends within two seconds, at every replica, when', () => {
  const remove =
    (path: string): (() => Promise<unknown>) =>
    () =>
      bench.call({ method: 'DELETE', path, token: admin });
  it.each([
    { name: 'its key is disabled', revoke: () => patchKey({ spec: { disabled: true } }) },
    { name: 'its key is deleted', revoke: () => remove(`${keys()}/ci`)() },
    { name: 'its Project is deleted', revoke: () => remove(`${LIFECYCLE}/projects/${project}`)() },
    { name: 'its key ends', revoke: () => endKeyAfter(5_000) },
  ])('$name', async ({ revoke }) => {
    await makeKey();
    const token = await issueToken();
    const ports = [bench.apiPort, secondPort];
    for (const port of ports) expect((await whoAmI(token, port)).status).toBe(201);
    await revoke();
    const end = Date.now() + REVOKED_WITHIN_MS;
    for (const port of ports) {
      await eventually(async () => expect((await whoAmI(token, port)).status).toBe(401), {
        timeoutMs: end - Date.now(),
      });
    }
  });

  it('its key is deleted and made anew', async () => {
    await makeKey();
    const token = await issueToken();
    await remove(`${keys()}/ci`)();
    await makeKey();
    await eventually(async () => expect((await whoAmI(token)).status).toBe(401), { timeoutMs: REVOKED_WITHIN_MS });
  });
});

describe('what is wrong with a key is said at once:', () => {
  it.each([
    { name: 'no role', spec: {}, field: 'spec.role' },
    { name: 'an unknown role', spec: { role: 'owner' }, field: 'spec.role' },
    { name: 'a lifetime beyond the limit', spec: { role: 'viewer', lifetime: '2d' }, field: 'spec.lifetime' },
    { name: 'a lifetime without unit', spec: { role: 'viewer', lifetime: '60' }, field: 'spec.lifetime' },
    {
      name: 'an end in the past',
      spec: { role: 'viewer', expiresAt: '2020-01-01T00:00:00Z' },
      field: 'spec.expiresAt',
    },
    { name: 'an end that is no time', spec: { role: 'viewer', expiresAt: 'soon' }, field: 'spec.expiresAt' },
    { name: 'an empty scope', spec: { role: 'viewer', scope: { verbs: [] } }, field: 'spec.scope.verbs' },
  ])('$name', async ({ spec, field }) => {
    const { status, body } = await makeKey(spec);
    expect([status, body['reason']]).toEqual([422, 'Invalid']);
    expect(body['details']).toMatchObject({ causes: [{ field }] });
  });

  it.each([
    { name: 'an unknown field', body: { spec: { until: '1h' } } },
    { name: 'an overlap without unit', body: { spec: { overlap: '60' } } },
    { name: 'no object', body: [] },
  ])('a request for a token with $name', async ({ body }) => {
    await makeKey();
    expect((await issue(body)).status).toBe(400);
  });

  it('a disabled key gets no token', async () => {
    await makeKey({ role: 'viewer', disabled: true });
    const { status, body } = await issue();
    expect([status, body['message']]).toEqual([409, expect.stringContaining('disabled')]);
  });

  it('a key gets no token for itself or others', async () => {
    await makeKey({ role: 'admin' });
    const { status, body } = await issue({}, await issueToken());
    expect([status, body['message']]).toEqual([403, expect.stringContaining('a person has to')]);
  });

  it('a dry run issues nothing', async () => {
    await makeKey();
    const { status, body } = await bench.call({
      method: 'POST',
      path: `${keys()}/ci/token?dryRun=All`,
      body: {},
      token: admin,
    });
    expect([status, body['status']]).toEqual([201, { expirationTimestamp: expect.any(String) }]);
  });
});

describe('the scope of a key', () => {
  it('narrows its role, and is what can-i says', async () => {
    await makeKey({ role: 'operator', scope: { resources: ['clusters'], verbs: ['get', 'list'] } });
    const token = await issueToken();
    const namespace = `${LIFECYCLE}/namespaces/${project}`;
    expect((await bench.call({ path: `${namespace}/clusters`, token })).status).toBe(200);
    const removal = await bench.call({ method: 'DELETE', path: `${namespace}/clusters/demo`, token });
    expect([removal.status, removal.body['message']]).toEqual([403, expect.stringContaining('verb delete')]);
    const accounts = `/apis/cloud.crate.dev/v1alpha1/namespaces/${project}/cloudaccounts`;
    expect((await bench.call({ path: accounts, token })).status).toBe(403);
    const ask = async (verb: string): Promise<unknown> => {
      const resourceAttributes = { verb, group: 'lifecycle.crate.dev', resource: 'clusters', namespace: project };
      const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
      return (await bench.call({ method: 'POST', path, body: { spec: { resourceAttributes } }, token })).body['status'];
    };
    expect([await ask('list'), await ask('delete')]).toEqual([{ allowed: true }, { allowed: false }]);
  });
});
