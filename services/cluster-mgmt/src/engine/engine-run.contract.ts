import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ProcessIdentity } from '@crate/process';
import type { EngineRunRepository, NewEngineRun } from './engine-run.repository.js';
import { KEPT_RUNS } from './kept-runs.js';

const identity: ProcessIdentity = { pid: 1, pgid: 1, startTime: '42', bootId: 'boot', host: 'here' };

/** What every `EngineRunRepository` promises. */
export function engineRunContract(name: string, open: () => Promise<EngineRunRepository>): void {
  describe(`${name} as an EngineRunRepository`, () => {
    let runs: EngineRunRepository;
    beforeEach(async () => {
      runs = await open();
    });

    it('keeps what a run is about, newest first', async () => {
      await runs.open(aRun(1));
      await runs.close(idOf(1), 'succeeded');
      await runs.open(aRun(2));
      await runs.saveIdentity(idOf(2), identity);

      expect(await runs.list('cluster')).toMatchObject([
        { ...aRun(2), state: 'running', identity, endedAt: undefined },
        { ...aRun(1), state: 'succeeded', identity: undefined, endedAt: expect.any(Date) as unknown },
      ]);
      expect(await runs.list('another')).toEqual([]);
    });

    it('refuses a run of a pass that was overtaken', async () => {
      await runs.open(aRun(5));

      await expect(runs.open(aRun(4))).rejects.toMatchObject({ code: 'Conflict' });
      expect(await runs.list('cluster')).toHaveLength(1);
    });

    it('refuses the identity of a run that was taken over', async () => {
      await runs.open(aRun(1));
      await runs.close(idOf(1), 'abandoned');

      await expect(runs.saveIdentity(idOf(1), identity)).rejects.toMatchObject({ code: 'Conflict' });
    });

    it('does not close a run twice', async () => {
      await runs.open(aRun(1));
      await runs.close(idOf(1), 'abandoned');
      await runs.close(idOf(1), 'succeeded');

      expect((await runs.list('cluster'))[0]?.state).toBe('abandoned');
    });

    it('forgets the oldest ended runs, never an open one', async () => {
      await runs.open(aRun(1));
      for (let epoch = 2; epoch <= KEPT_RUNS + 5; epoch += 1) {
        await runs.open(aRun(epoch));
        await runs.close(idOf(epoch), 'failed');
      }
      const kept = await runs.list('cluster');

      expect(kept).toHaveLength(KEPT_RUNS + 1);
      expect(kept.at(-1)).toMatchObject({ id: idOf(1), state: 'running' });
      expect(kept[0]?.id).toBe(idOf(KEPT_RUNS + 5));
    });

    it('names the folders of open runs, and forgets a cluster as a whole', async () => {
      await runs.open(aRun(1));
      await runs.open(aRun(2));
      await runs.close(idOf(1), 'failed');
      expect(await runs.openWorkspaces()).toEqual(['/workspaces/2']);

      await runs.removeAll('cluster');
      expect(await runs.list('cluster')).toEqual([]);
      expect(await runs.openWorkspaces()).toEqual([]);
    });
  });
}

function idOf(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

function aRun(epoch: number): NewEngineRun {
  return {
    id: idOf(epoch),
    clusterUid: 'cluster',
    kind: 'up',
    configHash: `hash-${epoch}`,
    epoch: BigInt(epoch),
    workspace: `/workspaces/${epoch}`,
  };
}
