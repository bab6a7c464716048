import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
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

    it('keeps the configuration of a run, for who asks for it', async () => {
      const config = { services: { kubelet: { extra_args: { 'read-only-port': '0' } } } };
      await runs.open({ ...aRun(1), config });
      await runs.close(idOf(1), 'succeeded');
      await runs.open(aRun(2));

      expect(await runs.findConfig(idOf(1))).toEqual(config);
      expect(await runs.findConfig(idOf(2))).toBeUndefined();
      expect(await runs.findConfig(idOf(3))).toBeUndefined();
      expect((await runs.list('cluster'))[1]).not.toHaveProperty('config');
      await runs.removeAll('cluster');
      expect(await runs.findConfig(idOf(1))).toBeUndefined();
    });

    it('refuses a run of a pass that was overtaken', async () => {
      await runs.open(aRun(5));

      await expect(runs.open(aRun(4))).rejects.toMatchObject({ code: 'Conflict' });
      expect(await runs.list('cluster')).toHaveLength(1);
    });

    it('refuses to begin beside an open run of an older epoch, which was opened after it was looked for', async () => {
      await runs.open(aRun(4));

      await expect(runs.open(aRun(5))).rejects.toMatchObject({ code: 'Conflict' });
      expect((await runs.list('cluster')).map(({ id }) => id)).toEqual([idOf(4)]);
      await runs.close(idOf(4), 'abandoned');
      await runs.open(aRun(5));
    });

    it('refuses the identity of a run that was taken over', async () => {
      await runs.open(aRun(1));
      await runs.close(idOf(1), 'abandoned');

      await expect(runs.saveIdentity(idOf(1), identity)).rejects.toMatchObject({ code: 'Conflict' });
      await expect(runs.heartbeat(idOf(1))).rejects.toMatchObject({ code: 'Conflict' });
    });

    it('keeps the last sign of life, by the clock that `now` tells', async () => {
      const before = (await runs.now()).getTime();
      await runs.open(aRun(1));
      const heard = async (): Promise<number> => (await runs.list('cluster'))[0]!.heartbeatAt.getTime();
      const opened = await heard();
      await sleep(5);
      await runs.heartbeat(idOf(1));

      expect(opened).toBeGreaterThanOrEqual(before);
      expect(await heard()).toBeGreaterThan(opened);
      expect((await runs.now()).getTime()).toBeGreaterThanOrEqual(await heard());
    });

    it('does not close a run twice', async () => {
      await runs.open(aRun(1));
      await runs.close(idOf(1), 'abandoned');
      await runs.close(idOf(1), 'succeeded');

      expect((await runs.list('cluster'))[0]?.state).toBe('abandoned');
    });

    it('forgets the oldest ended runs, never an open one', async () => {
      await runs.open(aRun(1));
      for (let number = 2; number <= KEPT_RUNS + 5; number += 1) {
        await runs.open({ ...aRun(number), epoch: 1n });
        await runs.close(idOf(number), 'failed');
      }
      const kept = await runs.list('cluster');

      expect(kept).toHaveLength(KEPT_RUNS + 1);
      expect(kept.at(-1)).toMatchObject({ id: idOf(1), state: 'running' });
      expect(kept[0]?.id).toBe(idOf(KEPT_RUNS + 5));
    });

    it('notes what a person changed as the newest run, under an epoch that fences the others out', async () => {
      await runs.open(aRun(3));
      await runs.close(idOf(3), 'succeeded');
      const asked: string[] = [];
      const requireDead = ({ id }: { readonly id: string }): Promise<void> => Promise.resolve(void asked.push(id));

      const epoch = await runs.edit('cluster', requireDead, (given) => Promise.resolve(given));
      expect(epoch > 3n).toBe(true);
      expect(asked).toEqual([]);
      expect(await runs.list('cluster')).toMatchObject([
        { kind: 'edit', state: 'abandoned', epoch, generation: undefined, endedAt: expect.any(Date) as unknown },
        { id: idOf(3), kind: 'up' },
      ]);
      await expect(runs.open({ ...aRun(3), id: idOf(33), epoch: epoch - 1n })).rejects.toMatchObject({
        code: 'Conflict',
      });
      await runs.open({ ...aRun(4), epoch: epoch + 1n });
      expect((await runs.list('cluster'))[0]).toMatchObject({ id: idOf(4), kind: 'up' });
    });

    it('lets nothing be changed under an open run that lives, and leaves one that is dead to the next pass', async () => {
      await runs.open(aRun(1));
      const work = jest.fn(() => Promise.resolve('done'));
      const live = (): Promise<void> => Promise.reject(new Error('It lives'));
      await expect(runs.edit('cluster', live, work)).rejects.toThrow('It lives');
      expect([work.mock.calls.length, (await runs.list('cluster')).length]).toEqual([0, 1]);

      expect(await runs.edit('cluster', () => Promise.resolve(), work)).toBe('done');
      expect(await runs.list('cluster')).toMatchObject([{ kind: 'edit' }, { id: idOf(1), state: 'running' }]);
      expect(await runs.openWorkspaces()).toEqual(['/workspaces/1']);
    });

    it('lists open runs of all clusters, the oldest first and no more than asked for', async () => {
      for (const number of [1, 2, 3]) await runs.open({ ...aRun(number), clusterUid: `cluster-${number}` });
      await runs.close(idOf(1), 'failed');
      expect((await runs.listOpen(10)).map(({ id }) => id)).toEqual([idOf(2), idOf(3)]);
      expect((await runs.listOpen(1)).map(({ clusterUid }) => clusterUid)).toEqual(['cluster-2']);
    });

    it('names the folders of open runs, and forgets a cluster as a whole', async () => {
      await runs.open(aRun(1));
      await runs.close(idOf(1), 'failed');
      await runs.open(aRun(2));
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
    generation: 10 + epoch,
    drains: true,
    epoch: BigInt(epoch),
    workspace: `/workspaces/${epoch}`,
  };
}
