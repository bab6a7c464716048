import { randomUUID } from 'node:crypto';
import type { PlannedChanges } from '@crate/terraform';
import { describe, expect, it } from '@jest/globals';
import {
  KEPT_RUNS,
  type NewTerraformRun,
  type TerraformRunEnd,
  type TerraformRunRepository,
} from '../terraform-run/terraform-run.repository.js';

const identity = { pid: 7, pgid: 7, startTime: '1', bootId: 'b', host: 'h' };
const SUMMARY = { add: 1, change: 0, remove: 0, import: 0 };
const aRun = (epoch: bigint, infrastructureUid = 'u1'): NewTerraformRun => ({
  id: randomUUID(),
  infrastructureUid,
  kind: 'apply',
  epoch,
  generation: 3,
});

/** What every `TerraformRunRepository` does; `create` gives an empty one. */
export function terraformRunContract(name: string, create: () => Promise<TerraformRunRepository>): void {
  describe(`${name} as a TerraformRunRepository`, () => {
    it('remembers a run from its start to its end', async () => {
      const runs = await create();
      const run = aRun(5n);
      await runs.open(run);
      expect(await runs.list('u1')).toMatchObject([
        { ...run, state: 'running', identity: undefined, endedAt: undefined },
      ]);

      await runs.saveIdentity(run.id, identity);
      await runs.saveRuntime(run.id, 'session-1');
      await runs.savePlan(run.id, { summary: { add: 1, change: 2, remove: 3, import: 4 }, hasBegun: true });
      await runs.heartbeat(run.id);
      await runs.close(run.id, 'succeeded');

      const [stored] = await runs.list('u1');
      expect(stored).toMatchObject({
        state: 'succeeded',
        identity,
        runtimeId: 'session-1',
        planSummary: { add: 1, change: 2, remove: 3, import: 4 },
        endedAt: expect.any(Date),
      });
    });

    it('remembers whether a run has begun to change anything', async () => {
      const runs = await create();
      const [refused, applied] = [aRun(5n), aRun(6n)];
      await runs.open(refused);
      await runs.savePlan(refused.id, { summary: SUMMARY, hasBegun: false });
      await runs.close(refused.id, 'failed');
      await runs.open(applied);
      expect((await runs.list('u1'))[0]?.hasBegun).toBe(false);
      await runs.savePlan(applied.id, { summary: SUMMARY, hasBegun: true });
      // Of a later step of the same run, which finds nothing to do.
      await runs.savePlan(applied.id, { summary: SUMMARY, hasBegun: false });
      await runs.close(applied.id, 'failed');

      expect((await runs.list('u1')).map(({ hasBegun }) => hasBegun)).toEqual([true, false]);
      const late = runs.savePlan(applied.id, { summary: SUMMARY, hasBegun: true });
      await expect(late).rejects.toMatchObject({ code: 'Conflict' });
    });

    it('lists the newest epoch first, of one Infrastructure only', async () => {
      const runs = await create();
      for (const run of [aRun(1n), aRun(2n ** 60n), aRun(9n, 'u2')]) {
        await runs.open(run);
        await runs.close(run.id, 'succeeded');
      }

      expect((await runs.list('u1')).map(({ epoch }) => epoch)).toEqual([2n ** 60n, 1n]);
    });

    it('refuses an older epoch', async () => {
      const runs = await create();
      await runs.open(aRun(5n));

      await expect(runs.open(aRun(4n))).rejects.toMatchObject({ code: 'Conflict' });
      await expect(runs.open(aRun(5n))).resolves.toBeInstanceOf(Date);
    });

    it('refuses to begin beside an open run of an older epoch, which may still let a command go', async () => {
      const runs = await create();
      const overtaken = aRun(4n);
      await runs.open(overtaken);

      await expect(runs.open(aRun(5n))).rejects.toMatchObject({ code: 'Conflict' });
      await runs.close(overtaken.id, 'interrupted');
      await runs.open(aRun(5n));
      await expect(runs.saveIdentity(overtaken.id, identity)).rejects.toMatchObject({ code: 'Conflict' });
    });

    it('lets a closed run do nothing more', async () => {
      const runs = await create();
      const run = aRun(1n);
      await runs.open(run);
      await runs.close(run.id, 'interrupted');

      await expect(runs.saveIdentity(run.id, identity)).rejects.toMatchObject({ code: 'Conflict' });
      await expect(runs.heartbeat(run.id)).rejects.toMatchObject({ code: 'Conflict' });
      await runs.close(run.id, 'succeeded');
      expect((await runs.list('u1'))[0]?.state).toBe('interrupted');
    });

    it('keeps the newest runs, and every one that is open', async () => {
      const runs = await create();
      await runs.open(aRun(7n));
      for (let count = 1; count <= KEPT_RUNS + 5; count += 1) {
        const run = aRun(7n);
        await runs.open(run);
        await runs.close(run.id, 'failed');
      }
      const kept = await runs.list('u1');

      expect(kept.filter(({ state }) => state === 'failed')).toHaveLength(KEPT_RUNS);
      expect(kept.at(-1)).toMatchObject({ state: 'running' });
    });

    it('keeps the newest run that changed anything, however many were refused after it', async () => {
      const runs = await create();
      const ended = async (epoch: bigint, state: TerraformRunEnd): Promise<void> => {
        const run = aRun(epoch);
        await runs.open(run);
        await runs.close(run.id, state);
      };
      await ended(1n, 'succeeded');
      await ended(2n, 'succeeded');
      for (let count = 1; count <= KEPT_RUNS + 2; count += 1) await ended(3n, 'failed');
      const kept = await runs.list('u1');

      expect(kept).toHaveLength(KEPT_RUNS + 1);
      expect(kept.at(-1)).toMatchObject({ epoch: 2n, state: 'succeeded' });
    });

    it('knows checks while they go on, and forgets them', async () => {
      const runs = await create();
      const [apply, check]: NewTerraformRun[] = [aRun(1n), { ...aRun(2n), kind: 'check' }];
      await runs.open(apply!);
      await runs.close(apply!.id, 'succeeded');
      await runs.open(check!);
      await runs.saveIdentity(check!.id, identity);

      expect((await runs.list('u1')).map(({ id }) => id)).toEqual([apply!.id]);
      expect(await runs.listOpen('u1')).toMatchObject([{ id: check!.id, kind: 'check', identity }]);
      await expect(runs.open(aRun(1n))).rejects.toMatchObject({ code: 'Conflict' });
      await runs.close(check!.id, 'failed');
      expect(await runs.listOpen('u1')).toEqual([]);
      await expect(runs.heartbeat(check!.id)).rejects.toMatchObject({ code: 'Conflict' });
    });

    it('gives the newest plan, with what policies say of it', async () => {
      const runs = await create();
      expect(await runs.findPlan('u1')).toBeUndefined();
      const changes = (address: string): PlannedChanges => ({
        resources: [{ address, type: 't', name: 'n', action: 'create', changes: [] }],
        omittedChanges: 0,
      });
      const [older, newer] = [aRun(1n), aRun(2n)];
      await runs.open(older);
      await runs.savePlan(older.id, { summary: SUMMARY, changes: changes('older'), hasBegun: true });
      await runs.close(older.id, 'failed');
      await runs.open(newer);
      expect(await runs.findPlan('u1')).toMatchObject({ run: { id: older.id }, review: undefined });

      const review = { allowed: true, violations: [] };
      await runs.savePlan(newer.id, {
        summary: SUMMARY,
        changes: changes('new\0er \\u0000'),
        review,
        hasBegun: true,
      });
      const found = await runs.findPlan('u1');
      expect(found).toMatchObject({
        run: { id: newer.id, state: 'running', generation: 3 },
        review: { allowed: true },
      });
      expect(found?.changes.resources[0]?.address.replace('\0', '')).toBe('newer \\u0000');
      await runs.removeAll('u1');
      expect(await runs.findPlan('u1')).toBeUndefined();
    });

    it('lists open runs of all Infrastructures, the oldest first and no more than asked for', async () => {
      const runs = await create();
      const check: NewTerraformRun = { ...aRun(2n, 'u3'), kind: 'check' };
      for (const run of [aRun(1n, 'u1'), aRun(1n, 'u2'), check]) await runs.open(run);
      const [first] = await runs.listAllOpen(1);
      expect(first?.infrastructureUid).toBe('u1');
      await runs.close(first?.id ?? '', 'succeeded');
      const open = await runs.listAllOpen(10);
      expect(open.map(({ infrastructureUid, kind }) => [infrastructureUid, kind])).toEqual([
        ['u2', 'apply'],
        ['u3', 'check'],
      ]);
    });

    it('removes everything of one Infrastructure, twice if need be', async () => {
      const runs = await create();
      await runs.open(aRun(1n));
      await runs.open(aRun(1n, 'u2'));
      await runs.removeAll('u1');
      await runs.removeAll('u1');

      expect(await runs.list('u1')).toEqual([]);
      expect(await runs.list('u2')).toHaveLength(1);
    });
  });
}
