import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { apiVersionOf, PLAN, type Manifest, type Plan } from '@crate/api';
import { eventually, type CratePlatform } from '@crate/testing';
import type { CrateUser } from '../crate-user.js';
import { documentOf, workers } from './documents.js';

const run = promisify(execFile);
const PATIENCE = { timeoutMs: 180_000 };

let platform: CratePlatform;
let user: CrateUser;
let directory: string;
async function fileOf(document: Manifest): Promise<string> {
  const file = join(directory, `${randomUUID()}.yaml`);
  await writeFile(file, JSON.stringify(document));
  return file;
}

/** Plans with the CLI; `wait` until it is worked out. */
async function plan(name: string, changes: Record<string, unknown>): Promise<Plan> {
  const file = await fileOf(documentOf(name, changes));
  return JSON.parse(await platform.crate('plan', name, '-n', 'team-a', '-f', file, '--wait', '-o', 'json')) as Plan;
}

const approve = async (name: string): Promise<Plan> =>
  JSON.parse(await platform.crate('plan', 'approve', name, '-n', 'team-a', '--wait', '-o', 'json')) as Plan;

const find = async (name: string): Promise<Plan> =>
  (await user.api.find({ apiVersion: apiVersionOf(PLAN), kind: 'Plan', namespace: 'team-a', name })) as Plan;

async function machines(): Promise<number> {
  return (await platform.inventory()).filter(({ type }) => type === 'aws_instance').length;
}

/** What a change leads to, before it is made; by a person who has a Project and an account. */
export function plans(of: () => CrateUser): void {
  describe('plans', () => {
    beforeAll(async () => {
      user = of();
      platform = user.platform;
      directory = await mkdtemp(join(tmpdir(), 'crate-plans-'));
    });

    afterAll(() => rm(directory, { recursive: true, force: true }));

    it('make a cluster as it was approved', async () => {
      const first = await plan('demo', {});
      expect(first.status?.consequences).toMatchObject({
        impact: 'none',
        terraform: { counts: { update: 0, replace: 0, destroy: 0 } },
        nodes: [
          { name: 'demo-control-plane-0', change: 'join' },
          { name: 'demo-workers-0', change: 'join' },
        ],
        policy: { admission: { allowed: true }, plan: { allowed: true } },
        cost: { before: 0, currency: 'USD', unknown: [] },
      });
      const { counts, resources } = first.status!.consequences!.terraform!;
      expect(await platform.inventory()).toEqual([]);
      expect(await user.find()).toBeUndefined();
      // What is counted in money is what Terraform would make.
      const made = (type: string): number => resources.filter((resource) => resource.type === type).length;
      expect([made('aws_instance'), made('aws_nat_gateway'), made('aws_eip'), made('aws_lb')]).toEqual([3, 1, 2, 1]);

      const done = await approve(first.metadata.name);
      expect(done.status?.end).toMatchObject({ phase: 'Executed', reason: 'Executed' });
      expect(done.status?.approval?.by).toBe('admin');
      await user.untilReady();
      expect(await machines()).toBe(3);
      expect(counts.create).toBeGreaterThan(20);
    });

    it('say what two more machines lead to and cost, and are carried out once', async () => {
      const grow = await plan('demo', workers(3));
      const { consequences, basis } = grow.status ?? {};
      expect(consequences).toMatchObject({
        impact: 'none',
        fields: [{ field: 'spec.nodePools[name=workers].replicas', impact: 'none', before: 1, after: 3 }],
        terraform: { counts: { create: 2, update: 0, replace: 0, destroy: 0 } },
        nodes: [
          { name: 'demo-workers-1', change: 'join' },
          { name: 'demo-workers-2', change: 'join' },
        ],
        // Two machines at 0.192 an hour with a disk of 50 GiB at 0.08.
        cost: { difference: 288.32 },
      });
      expect(basis).toMatchObject({ generation: 1, stateSerial: expect.any(Number) });

      await approve(grow.metadata.name);
      expect((await user.find())?.spec.nodePools[0]?.replicas).toBe(3);
      expect(await machines()).toBe(5);
      // No mark is left, so later changes are held to nothing.
      expect((await user.find())?.metadata.annotations ?? {}).not.toHaveProperty(['lifecycle.crate.dev/approved-plan']);
    });

    it('are refused when the world has moved, and the cluster stays as it is', async () => {
      const outdated = await plan('demo', workers(5));
      await user.apply(documentOf('demo', { ...workers(3), paused: true }));
      await user.apply(documentOf('demo', workers(3)));
      const before = await user.find();

      await expect(approve(outdated.metadata.name)).rejects.toThrow(/Refused/);
      const { status } = await find(outdated.metadata.name);
      expect(status?.end).toMatchObject({ phase: 'Refused', reason: 'WorldMoved' });
      expect(status?.end?.message).toContain('generation of the cluster is 4, it was 2');
      expect((await user.find())?.spec).toEqual(before?.spec);
      expect((await user.find())?.metadata.generation).toBe(before?.metadata.generation);
      expect(await machines()).toBe(5);
    });

    it('are refused above the ceiling of the cluster', async () => {
      await user.apply(documentOf('demo', { ...workers(3), maxImpact: 'restart' }));
      await expect(plan('demo', { ...workers(1), maxImpact: 'restart' })).rejects.toThrow(/impact roll/);
    });

    it('are made by a dry run, too: it warns of what the change leads to, and stores nothing', async () => {
      const file = await fileOf(documentOf('other', workers(2)));
      const command = ['--kubeconfig', platform.kubeconfigFile, 'apply', '--dry-run=server', '-f', file];
      const { stderr } = await run('kubectl', command);
      expect(stderr).toContain('Warning: nodes that join: other-control-plane-0, other-workers-0, other-workers-1');
      expect(stderr).toMatch(/Warning: cost: \+\d+\.\d\d USD\/month/);
      expect(stderr).toMatch(/Warning: Terraform: (\d+ to create, 0 to update, 0 to destroy|not known within)/);
      expect(await user.find('other')).toBeUndefined();
    });
  });
}

/** The end of the cluster that `plans` made. */
export function plannedDeletion(): void {
  it('takes a cluster away as it was approved', async () => {
    const gone = JSON.parse(
      await platform.crate('plan', 'demo', '-n', 'team-a', '--destroy', '--wait', '-o', 'json'),
    ) as Plan;
    expect(gone.status?.consequences).toMatchObject({ impact: 'replace', cost: { after: 0 } });
    await approve(gone.metadata.name);
    await user.untilGone();
    await eventually(async () => expect(await platform.inventory()).toEqual([]), PATIENCE);
  });
}
