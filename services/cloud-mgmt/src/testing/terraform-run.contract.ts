import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import {
  KEPT_RUNS,
  type NewTerraformRun,
  type TerraformRunRepository,
} from '../terraform-run/terraform-run.repository.js';

const identity = { pid: 7, pgid: 7, startTime: '1', bootId: 'b', host: 'h' };
const aRun = (epoch: bigint, infrastructureUid = 'u1'): NewTerraformRun => ({
  id: randomUUID(),
  infrastructureUid,
  kind: 'apply',
  epoch,
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
      await runs.savePlan(run.id, { add: 1, change: 2, remove: 3, import: 4 });
      await runs.heartbeat(run.id, 'line one\n');
      await runs.close(run.id, 'succeeded', 'line one\nline two\n');

      const [stored] = await runs.list('u1');
      expect(stored).toMatchObject({
        state: 'succeeded',
        identity,
        runtimeId: 'session-1',
        planSummary: { add: 1, change: 2, remove: 3, import: 4 },
        endedAt: expect.any(Date),
      });
      expect(await runs.findLog(run.id)).toBe('line one\nline two\n');
    });

    it('lists the newest epoch first, of one Infrastructure only', async () => {
      const runs = await create();
      for (const run of [aRun(1n), aRun(2n ** 60n), aRun(9n, 'u2')]) await runs.open(run);

      expect((await runs.list('u1')).map(({ epoch }) => epoch)).toEqual([2n ** 60n, 1n]);
    });

    it('refuses an older epoch', async () => {
      const runs = await create();
      await runs.open(aRun(5n));

      await expect(runs.open(aRun(4n))).rejects.toMatchObject({ code: 'Conflict' });
      await expect(runs.open(aRun(5n))).resolves.toBeUndefined();
    });

    it('lets a closed run do nothing more', async () => {
      const runs = await create();
      const run = aRun(1n);
      await runs.open(run);
      await runs.close(run.id, 'interrupted');

      await expect(runs.saveIdentity(run.id, identity)).rejects.toMatchObject({ code: 'Conflict' });
      await expect(runs.heartbeat(run.id, '')).rejects.toMatchObject({ code: 'Conflict' });
      await runs.close(run.id, 'succeeded');
      expect((await runs.list('u1'))[0]?.state).toBe('interrupted');
    });

    it('keeps the newest runs, and every one that is open', async () => {
      const runs = await create();
      await runs.open(aRun(0n));
      for (let epoch = 1n; epoch <= BigInt(KEPT_RUNS) + 5n; epoch += 1n) {
        const run = aRun(epoch);
        await runs.open(run);
        await runs.close(run.id, 'failed');
      }
      const kept = await runs.list('u1');

      expect(kept.filter(({ state }) => state === 'failed').map(({ epoch }) => epoch)).toHaveLength(KEPT_RUNS);
      expect(kept.at(-1)).toMatchObject({ epoch: 0n, state: 'running' });
    });

    it('stores a log with characters that the database does not take', async () => {
      const runs = await create();
      const run = aRun(1n);
      await runs.open(run);
      await runs.heartbeat(run.id, 'a\0b');

      expect((await runs.findLog(run.id))?.replace('\0', '')).toBe('ab');
      expect(await runs.findLog(randomUUID())).toBeUndefined();
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
