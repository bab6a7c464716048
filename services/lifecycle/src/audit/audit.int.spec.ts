import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { CLOUD_ACCOUNT, KUBERNETES_CLUSTER, POLICY, type KubeObject } from '@crate/api';
import { describedScopes } from '@crate/messaging';
import { eventually } from '@crate/testing';
import type { ApiAnswer, ApiCall } from '../testing/api-call.js';
import { PlatformBench } from '../testing/platform-bench.js';

const PROJECTS = '/apis/lifecycle.crate.dev/v1alpha1/projects';
const EVENTS = '/apis/lifecycle.crate.dev/v1alpha1/auditevents';
const ACCOUNTS = '/apis/cloud.crate.dev/v1alpha1/namespaces/team-a/cloudaccounts';
const IN_TEAM_A = '/apis/lifecycle.crate.dev/v1alpha1/namespaces/team-a/auditevents';
const GROUPS: Readonly<Record<string, readonly string[]>> = { ada: ['platform-admin'] };

let bench: PlatformBench;

beforeAll(async () => {
  bench = await PlatformBench.start();
  await bench.startNeighbour('policy-mgmt', { kinds: [{ definition: POLICY }] });
  await bench.startNeighbour('cluster-mgmt', { kinds: [{ definition: KUBERNETES_CLUSTER }] });
  await bench.startNeighbour('cloud-mgmt', { kinds: [{ definition: CLOUD_ACCOUNT }] });
  await bench.startLifecycle();
  await eventually(async () => expect((await as('ada', { path: ACCOUNTS })).status).toBe(200));
  const member = (name: string, role: string): object => ({ kind: 'User', name, role });
  const spec = { members: [member('anna', 'admin'), member('vera', 'viewer')] };
  await write('ada', 'POST', PROJECTS, { kind: 'Project', metadata: { name: 'team-a' }, spec });
  await write('ada', 'POST', PROJECTS, { kind: 'Project', metadata: { name: 'team-b' }, spec: {} });
  await eventually(async () => expect((await as('anna', { path: ACCOUNTS })).status).toBe(200));
});
afterAll(() => bench.close());

function as(user: string, call: Omit<ApiCall, 'token'>): Promise<ApiAnswer> {
  return bench.call({ ...call, token: bench.tokenOf(user, GROUPS[user] ?? []) });
}

function write(user: string, method: string, path: string, document: Record<string, unknown>): Promise<ApiAnswer> {
  const group = path.split('/')[2];
  return as(user, { method, path, body: { apiVersion: `${group}/v1alpha1`, ...document } });
}

async function events(user: string, path: string, fieldSelector = ''): Promise<readonly Record<string, unknown>[]> {
  const { body } = await as(user, { path: `${path}?fieldSelector=${encodeURIComponent(fieldSelector)}` });
  return body.items as readonly Record<string, unknown>[];
}

const ACCOUNT = {
  kind: 'CloudAccount',
  metadata: { name: 'main' },
  spec: { provider: 'sandbox-aws', credentials: { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'very-secret-key' } },
};

it('answers other services what the contract says, for the scopes that it says', () => {
  expect(bench.hostOf('lifecycle').methods.scopes()).toEqual(describedScopes('lifecycle'));
});

describe('the audit log of the platform', () => {
  it('knows who wrote to another service from where, without the secrets', async () => {
    const { status, headers } = await write('anna', 'POST', ACCOUNTS, ACCOUNT);
    expect(status).toBe(201);
    const [event, ...more] = await events('anna', IN_TEAM_A, 'resource=cloudaccounts,verb=create');
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      kind: 'AuditEvent',
      service: 'cloud-mgmt',
      user: 'anna',
      via: 'lifecycle',
      address: '127.0.0.1',
      traceId: headers['x-trace-id'],
      decision: 'allowed',
      code: 201,
      object: { resource: 'cloudaccounts', name: 'main', namespace: 'team-a' },
    });
    expect(JSON.stringify(event)).not.toMatch(/very-secret-key|AKIAEXAMPLE/);
    expect(JSON.stringify(event)).toContain('[redacted]');
  });

  it('knows every refusal and failure with its answer', async () => {
    const answers = [
      await write('vera', 'POST', ACCOUNTS, { ...ACCOUNT, metadata: { name: 'second' } }),
      await write('anna', 'POST', ACCOUNTS, ACCOUNT),
      await write('anna', 'POST', ACCOUNTS, { ...ACCOUNT, metadata: { name: 'third' }, spec: { provider: 'no-such' } }),
      await as('anna', { method: 'DELETE', path: `${ACCOUNTS}/nothing` }),
      await as('vera', { path: '/apis/lifecycle.crate.dev/v1alpha1/namespaces/team-a/clusters/demo/kubeconfig' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([403, 409, 422, 404, 403]);
    const failed = await events('anna', IN_TEAM_A, 'reason!=x');
    expect(failed).toBeUndefined(); // Not a field that can be selected by, which is said and not ignored.
    const all = (await events('anna', IN_TEAM_A)).filter(({ reason }) => reason !== undefined);
    expect(all.map(({ user, verb, code, decision }) => [user, verb, code, decision])).toEqual([
      ['vera', 'create', 403, 'denied'],
      ['anna', 'create', 409, 'allowed'],
      ['anna', 'create', 422, 'allowed'],
      ['anna', 'delete', 404, 'allowed'],
      ['vera', 'get', 403, 'denied'],
    ]);
    expect(all[4]).toMatchObject({ object: { resource: 'clusters', subresource: 'kubeconfig', name: 'demo' } });
  });

  it('is shown to whom it concerns', async () => {
    const statusOf = async (user: string, path: string): Promise<number> => (await as(user, { path })).status;
    expect(await statusOf('anna', IN_TEAM_A)).toBe(200);
    expect(await statusOf('vera', IN_TEAM_A)).toBe(403);
    expect(await statusOf('anna', IN_TEAM_A.replace('team-a', 'team-b'))).toBe(403);
    expect(await statusOf('anna', EVENTS)).toBe(403);
    expect(await statusOf('anna', '/audit/events')).toBe(403);
    expect(await statusOf('anna', '/audit/verify')).toBe(403);
    expect(await statusOf('anna', '/audit/events?namespace=team-a')).toBe(200);
    for (const path of ['/audit/events', '/audit/events?namespace=team-a', '/audit/verify'])
      expect((await bench.call({ path, token: '' })).status).toBe(401);
    const namespaces = (await events('anna', IN_TEAM_A)).map(
      ({ metadata }) => (metadata as { namespace: string }).namespace,
    );
    expect(new Set(namespaces)).toEqual(new Set(['team-a']));
    expect((await as('ada', { method: 'DELETE', path: `${IN_TEAM_A}/lifecycle.1` })).status).toBeGreaterThanOrEqual(
      403,
    );
  });

  it('stands in no Project’s way', async () => {
    const { status, body } = await as('ada', { method: 'DELETE', path: `${PROJECTS}/team-b` });
    expect([status, body.message]).toEqual([200, undefined]);
  });

  it('is not shown to whoever gets the name of a Project next, exported or otherwise', async () => {
    const inTeamB = IN_TEAM_A.replace('team-a', 'team-b');
    const before = (await events('ada', inTeamB)).length;
    expect(before).toBeGreaterThan(0);
    // When a Project was made is known to the second.
    await delay(1_100);
    const spec = { members: [{ kind: 'User', name: 'anna', role: 'admin' }] };
    await write('ada', 'POST', PROJECTS, { kind: 'Project', metadata: { name: 'team-b' }, spec });
    await eventually(async () => expect((await as('anna', { path: inTeamB })).status).toBe(200));
    const project = (await as('anna', { path: `${PROJECTS}/team-b` })).body as unknown as KubeObject;
    const since = new Date(project.metadata.creationTimestamp);
    const exported = async (user: string): Promise<readonly Date[]> => {
      const { body } = await as(user, { path: '/audit/events?namespace=team-b' });
      // One line alone is JSON.
      const lines = ((body.text as string | undefined) ?? JSON.stringify(body)).trim().split('\n');
      return lines.map((line) => new Date((JSON.parse(line) as { record: { time: string } }).record.time));
    };
    const all = await exported('ada');
    expect(all.some((time) => time < since)).toBe(true);
    expect(all.some((time) => time >= since)).toBe(true);
    expect(await exported('anna')).toEqual(all.filter((time) => time >= since));
    expect((await events('anna', inTeamB)).length).toBeLessThanOrEqual(all.length - before);
  });

  it('is exported as lines that anybody can check', async () => {
    const { headers, body } = await as('ada', { path: '/audit/events' });
    expect(headers['content-type']).toBe('application/x-ndjson');
    const all = body.text as string;
    const last: Record<string, string> = {};
    for (const line of all.trim().split('\n')) {
      const { service, seq, hash } = JSON.parse(line) as { service: string; seq: number; hash: string };
      const record = line.slice(line.indexOf('"record":') + '"record":'.length, -1);
      const before = Buffer.from(last[service] ?? '0'.repeat(64), 'hex');
      expect(createHash('sha256').update(before).update(`${seq} ${record}`).digest('hex')).toBe(hash);
      last[service] = hash;
    }
    expect(Object.keys(last).sort()).toEqual(['cloud-mgmt', 'lifecycle']);
  });

  it('is verified over all services, and tells what somebody changed', async () => {
    type Logs = readonly { readonly service: string; readonly isWhole: boolean; readonly problems: unknown }[];
    const verify = async (): Promise<Logs> => (await as('ada', { path: '/audit/verify' })).body.logs as Logs;
    expect((await verify()).map(({ service, isWhole }) => [service, isWhole])).toEqual([
      ['lifecycle', true],
      ['cloud-mgmt', true],
      ['cluster-mgmt', true],
      ['policy-mgmt', true],
    ]);
    const { body } = await as('ada', { path: `/audit/verify?checkpoint=cloud-mgmt:1:${'ab'.repeat(32)}` });
    expect((body.logs as Logs)[1]).toMatchObject({
      isWhole: false,
      problems: [{ seq: 1, message: expect.stringContaining('another one') }],
    });
    const database = bench.hostOf('cloud-mgmt').foundation.database;
    await database.rowsOnce('ALTER TABLE audit_log DISABLE TRIGGER USER');
    await database.rowsOnce(
      `UPDATE audit_log SET line = replace(line, 'anna', 'eve'), user_name = 'eve' WHERE seq = 1`,
    );
    expect((await verify())[1]).toMatchObject({
      service: 'cloud-mgmt',
      isWhole: false,
      problems: [{ seq: 1, message: expect.stringContaining('Row 1 does not follow') }],
    });
  });
});
