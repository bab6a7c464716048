import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { findCondition, isConditionTrue, type Infrastructure, type PolicyReviewResponse } from '@crate/api';
import { describedScopes } from '@crate/messaging';
import type { ServiceHost } from '@crate/service-host';
import { eventually } from '@crate/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { aSpec } from './testing/a-spec.js';
import { ACCOUNT, NAMESPACE, TestCloud } from './testing/test-cloud.js';

const MANAGER = 'test';
const PATIENCE = { timeoutMs: 120_000 };
jest.setTimeout(600_000);

let cloud: TestCloud;
let service: ServiceHost;

beforeAll(async () => {
  cloud = await TestCloud.start();
  service = await cloud.startService({ slots: 1 });
  await ensureAccount('sandbox');
});
afterAll(async () => cloud.stop());
afterEach(async () => {
  await cloud.sandbox.cloud.latency.set({ scale: 0, createMs: {} });
});

async function ensureAccount(name: string): Promise<void> {
  const spec = { provider: 'sandbox-aws', accountId: ACCOUNT } as const;
  await cloud.accounts(service).ensure({ metadata: { name, namespace: NAMESPACE }, spec }, MANAGER);
}

async function ensure(name: string, changes: Parameters<typeof aSpec>[1] = {}): Promise<Infrastructure> {
  const draft = { metadata: { name, namespace: NAMESPACE }, spec: aSpec(name, changes) };
  return cloud.infrastructures(service).ensure(draft, MANAGER);
}

const find = (name: string): Promise<Infrastructure | undefined> =>
  cloud.infrastructures(service).find(name, NAMESPACE);

async function untilReady(name: string): Promise<Infrastructure> {
  return eventually(async () => {
    const found = await find(name);
    expect(found?.status).toMatchObject({ observedGeneration: found?.metadata.generation });
    expect(isConditionTrue(found?.status?.conditions, 'Ready', found?.metadata.generation)).toBe(true);
    return found!;
  }, PATIENCE);
}

async function untilGone(name: string): Promise<void> {
  await cloud.infrastructures(service).remove(name, NAMESPACE);
  await eventually(async () => expect(await find(name)).toBeUndefined(), PATIENCE);
}

const count = async (sql: string): Promise<number> =>
  (await service.foundation.database.firstRow<{ n: number }>(`SELECT count(*)::int AS n FROM ${sql}`))?.n ?? -1;

const DENIED: PolicyReviewResponse = {
  allowed: false,
  violations: [
    {
      policy: 'encrypted-volumes',
      level: 'must',
      severity: 'high',
      effect: 'deny',
      title: 'Volumes are encrypted',
      field: 'spec.nodePools',
      message: 'The volume is not encrypted',
      remedy: 'Encrypt it',
      references: [],
    },
  ],
};

it('answers what the contract says, for the scopes that it says', () => {
  expect(service.methods.scopes()).toEqual(describedScopes('cloud-mgmt'));
});

describe('an Infrastructure', () => {
  it('comes up, stays quiet, grows by just what is asked for, and leaves nothing behind', async () => {
    const created = await ensure('demo');
    const ready = await untilReady('demo');
    expect(ready.status?.outputs?.machines.map(({ name }) => name).sort()).toEqual([
      'demo-control-plane-0',
      'demo-workers-0',
    ]);
    expect(cloud.inventory('aws_instance')).toHaveLength(3);
    expect(cloud.reviews.at(-1)).toMatchObject({
      stage: 'TerraformPlan',
      subject: { namespace: NAMESPACE, name: 'demo', cluster: 'demo', provider: 'sandbox-aws' },
      remember: true,
    });

    // A settled Infrastructure is left alone: no run, no write.
    const { resourceVersion } = ready.metadata;
    await service.foundation.queue.enqueue('infrastructure', [{ namespace: NAMESPACE, name: 'demo' }]);
    await eventually(
      async () => expect((await service.foundation.queue.depth('infrastructure')).due).toBe(0),
      PATIENCE,
    );
    await eventually(
      async () => expect((await service.foundation.queue.depth('infrastructure')).leased).toBe(0),
      PATIENCE,
    );
    expect((await find('demo'))?.metadata.resourceVersion).toBe(resourceVersion);
    expect(await count('terraform_runs')).toBe(1);

    const before = new Set(ready.status?.outputs?.machines.map(({ instanceId }) => instanceId));
    await ensure('demo', { workers: 3 });
    const grown = await untilReady('demo');
    const machines = grown.status?.outputs?.machines ?? [];
    expect(machines).toHaveLength(4);
    expect(machines.filter(({ instanceId }) => before.has(instanceId))).toHaveLength(2);
    const { rows } = await service.foundation.database.pool.query(
      'SELECT plan_summary, state FROM terraform_runs ORDER BY started_at',
    );
    expect(rows[1]).toMatchObject({ state: 'succeeded', plan_summary: { remove: 0, change: 0 } });

    await untilGone('demo');
    expect(cloud.inventory()).toEqual([]);
    expect(await count('terraform_runs')).toBe(0);
    expect(await count(`secret_versions WHERE owner_uid = '${created.metadata.uid}'`)).toBe(0);
    expect(existsSync(join(cloud.directory, 'workspaces', 'workspaces', created.metadata.uid))).toBe(false);
  });

  it('applies nothing under a state whose epoch somebody has changed, and says so', async () => {
    const { pool } = service.foundation.database;
    await ensure('fenced');
    const { metadata } = await untilReady('fenced');
    const runs = await count(`terraform_runs WHERE infrastructure_uid = '${metadata.uid}'`);
    const change = (by: number): Promise<unknown> =>
      pool.query('UPDATE secret_versions SET epoch = epoch + $2 WHERE owner_uid = $1', [metadata.uid, by]);
    await change(-1);

    await ensure('fenced', { workers: 3 });
    await eventually(
      async () => expect((await find('fenced'))?.status?.failure).toMatchObject({ code: 'StateTampered' }),
      PATIENCE,
    );
    expect(await count(`terraform_runs WHERE infrastructure_uid = '${metadata.uid}'`)).toBe(runs);

    await change(1);
    const grown = await untilReady('fenced');
    expect(grown.status?.outputs?.machines).toHaveLength(4);
    await untilGone('fenced');
  });

  it('tells a quota, the input behind it and what to do, and converges once the cause is gone', async () => {
    await cloud.sandbox.cloud.faults.put('quota', { kind: 'quota', type: 'aws_instance', limit: 2 });
    await ensure('poor');
    const failed = await eventually(async () => {
      const found = await find('poor');
      expect(found?.status?.failure).toBeDefined();
      return found!;
    }, PATIENCE);
    expect(failed.status?.failure).toMatchObject({ code: 'QuotaExceeded', retryable: true });
    expect(failed.status?.failure?.field).toMatch(/^spec\.(controlPlane\.replicas|nodePools\[0\]\.replicas|region)$/);
    expect(failed.status?.failure?.remedy).not.toBe('');
    expect(isConditionTrue(failed.status?.conditions, 'Ready')).toBe(false);

    await cloud.sandbox.cloud.faults.remove('quota');
    const ready = await untilReady('poor');
    expect(ready.status?.failure).toBeUndefined();
    expect(cloud.inventory('aws_vpc')).toHaveLength(1);
    await untilGone('poor');
    expect(cloud.inventory()).toEqual([]);
  });

  it('is not built when policy denies its plan', async () => {
    cloud.verdict = DENIED;
    await ensure('denied');
    const denied = await eventually(async () => {
      const found = await find('denied');
      expect(found?.status?.failure).toMatchObject({
        code: 'PolicyDenied',
        field: 'spec.nodePools',
        remedy: 'Encrypt it',
      });
      return found!;
    }, PATIENCE);
    expect(denied.status?.failure?.message).toContain('encrypted-volumes');
    expect(cloud.inventory()).toEqual([]);

    cloud.verdict = { allowed: true, violations: [] };
    await untilGone('denied');
  });

  it('stands when a rule comes that it breaks, and says so', async () => {
    await ensure('standing');
    await untilReady('standing');
    cloud.verdict = DENIED;
    // By labels, too, rules say what they are about: it is judged again at once.
    const labels = { stage: 'prod' };
    await cloud.infrastructures(service).merge('standing', NAMESPACE, { metadata: { labels } });
    const found = await eventually(async () => {
      const seen = await find('standing');
      const compliant = findCondition(seen?.status?.conditions, 'PolicyCompliant');
      expect(compliant).toMatchObject({ status: 'False', message: expect.stringContaining('encrypted-volumes') });
      return seen!;
    }, PATIENCE);
    expect(isConditionTrue(found.status?.conditions, 'Ready')).toBe(true);
    const unchanged = expect.objectContaining({ change: expect.objectContaining({ actions: ['no-op'] }) });
    expect(cloud.reviews.at(-1)).toMatchObject({
      document: { resource_changes: expect.arrayContaining([unchanged]) },
      subject: { labels },
      remember: true,
    });
    await untilGone('standing');
    expect(cloud.inventory()).toEqual([]);
    cloud.verdict = { allowed: true, violations: [] };
  });

  it('shows the place in the queue while others are built, and no longer what it waited for before', async () => {
    await ensure('late', { accountRef: { name: 'late' } });
    await eventually(
      async () => expect((await find('late'))?.status?.failure).toMatchObject({ code: 'CloudAccountNotFound' }),
      PATIENCE,
    );
    await cloud.sandbox.cloud.latency.set({ scale: 0.2, createMs: {} });
    const names = ['q0', 'q1', 'q2'];
    const seen = new Set<string>();
    for (const name of names) await ensure(name);
    await eventually(async () => {
      for (const name of names) {
        const message = (await find(name))?.status?.progress?.message ?? '';
        if (message.startsWith('Waiting for a Terraform slot')) seen.add(message);
      }
      expect([...seen].sort()).toContain('Waiting for a Terraform slot, 1 ahead');
    }, PATIENCE);
    await ensureAccount('late');
    await eventually(async () => {
      const { failure, progress } = (await find('late'))?.status ?? {};
      expect([failure, progress?.message]).toEqual([undefined, expect.stringMatching(/^Waiting for a Terraform slot/)]);
    }, PATIENCE);

    await cloud.sandbox.cloud.latency.set({ scale: 0, createMs: {} });
    const all = [...names, 'late'];
    for (const name of all) await untilReady(name);
    expect(cloud.inventory('aws_vpc')).toHaveLength(all.length);
    await Promise.all(all.map(untilGone));
    expect(cloud.inventory()).toEqual([]);
  });
});

describe('Terraform that is killed', () => {
  /** Process groups of Terraform that work below this test's directory. */
  async function terraformGroups(): Promise<number[]> {
    const groups: number[] = [];
    for (const entry of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
      const { readlink, readFile } = await import('node:fs/promises');
      const cwd = await readlink(`/proc/${entry}/cwd`).catch(() => '');
      if (!cwd.startsWith(cloud.directory)) continue;
      const stat = await readFile(`/proc/${entry}/stat`, 'utf8').catch(() => '');
      groups.push(Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]));
    }
    return [...new Set(groups)];
  }

  async function killTerraform(): Promise<void> {
    const [group] = await eventually(async () => {
      const groups = await terraformGroups();
      expect(groups).not.toEqual([]);
      return groups;
    }, PATIENCE);
    process.kill(-group!, 'SIGKILL');
  }

  it('while it creates, is taken up: nothing is doubled, nothing is lost', async () => {
    await cloud.sandbox.cloud.latency.set({ scale: 0.3, createMs: {} });
    await ensure('killed');
    // At every type there is, and more than once: lost-answers.int.spec.ts.
    await eventually(() => expect(cloud.inventory('aws_instance').length).toBeGreaterThanOrEqual(1), PATIENCE);
    await killTerraform();
    await cloud.sandbox.cloud.latency.set({ scale: 0, createMs: {} });
    const killed = await untilReady('killed');
    const whole = cloud.inventory();
    expect(whole).toEqual(cloud.wanted(killed));

    await cloud.sandbox.cloud.latency.set({ scale: 0.3, createMs: {} });
    await cloud.infrastructures(service).remove('killed', NAMESPACE);
    await eventually(() => expect(cloud.inventory().length).toBeLessThan(whole.length), PATIENCE);
    await killTerraform();
    await cloud.sandbox.cloud.latency.set({ scale: 0, createMs: {} });
    await untilGone('killed');
    expect(cloud.inventory()).toEqual([]);
  });

  it('is deleted as well when its creation never came to an end', async () => {
    await cloud.sandbox.cloud.latency.set({ scale: 0.3, createMs: {} });
    await ensure('aborted');
    await eventually(() => expect(cloud.inventory('aws_subnet').length).toBeGreaterThanOrEqual(1), PATIENCE);
    await killTerraform();
    await cloud.infrastructures(service).remove('aborted', NAMESPACE);
    await cloud.sandbox.cloud.latency.set({ scale: 0, createMs: {} });

    await untilGone('aborted');
    expect(cloud.inventory()).toEqual([]);
  });
});

describe('a restart of the service', () => {
  it('in the middle of a creation loses and doubles nothing, also on another host', async () => {
    await cloud.sandbox.cloud.latency.set({ scale: 0.3, createMs: {} });
    await ensure('moved');
    await eventually(() => expect(cloud.inventory('aws_subnet').length).toBeGreaterThanOrEqual(1), PATIENCE);
    await cloud.stopService(service);
    await cloud.sandbox.cloud.latency.set({ scale: 0, createMs: {} });
    service = await cloud.startService({ workspaces: 'other-workspaces' });

    await untilReady('moved');
    expect(cloud.inventory('aws_vpc')).toHaveLength(1);
    expect(cloud.inventory('aws_instance')).toHaveLength(3);
    await untilGone('moved');
    expect(cloud.inventory()).toEqual([]);
  });
});
