import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { LockByHand, StateLocks } from '../terraform-state/state-locks.js';
import type {
  NewTerraformRun,
  TerraformRunKind,
  TerraformRunRepository,
} from '../terraform-run/terraform-run.repository.js';

export interface LockStores {
  readonly locks: StateLocks;
  readonly runs: TerraformRunRepository;
}

const aRun = (kind: TerraformRunKind = 'apply', epoch = 1n): NewTerraformRun => ({
  id: randomUUID(),
  infrastructureUid: 'u1',
  kind,
  epoch,
  generation: 1,
});
const byVera: LockByHand = {
  infrastructureUid: 'u1',
  id: 'lock-1',
  holder: 'vera',
  operation: 'OperationTypePlan',
  info: '',
};
const byHugo: LockByHand = { ...byVera, id: 'lock-2', holder: 'hugo' };
const isLocked = { code: 'Conflict', details: { reason: 'StateLocked' } };

/** What `StateLocks` and a `TerraformRunRepository` do about each other; `create` gives empty ones over one store. */
export function stateLocksContract(name: string, create: () => Promise<LockStores>): void {
  describe(`${name} as StateLocks`, () => {
    it('hold one person at a time, who may ask again', async () => {
      const { locks } = await create();
      await locks.acquire(byVera);
      await locks.acquire(byVera);

      await expect(locks.acquire(byHugo)).rejects.toMatchObject(isLocked);
      expect(await locks.find('u1')).toMatchObject({ ...byVera, isByHand: true, epoch: undefined });
      await expect(locks.acquire({ ...byHugo, infrastructureUid: 'u2' })).resolves.toBeUndefined();
    });

    it('are given back by their id, or by whoever takes them without one', async () => {
      const { locks } = await create();
      await locks.acquire(byVera);
      expect(await locks.release('u1', 'lock-2')).toBe(false);
      expect(await locks.release('u1', 'lock-1')).toBe(true);
      expect(await locks.release('u1', 'lock-1')).toBe(false);
      await locks.acquire(byHugo);
      expect(await locks.release('u1')).toBe(true);
      expect(await locks.find('u1')).toBeUndefined();
    });

    it('are listed, those of runs and of people, the oldest first and no more than asked for', async () => {
      const { locks, runs } = await create();
      await locks.acquire(byVera);
      await runs.open({ ...aRun(), infrastructureUid: 'u2' });
      expect((await locks.list(10)).map(({ infrastructureUid, isByHand }) => [infrastructureUid, isByHand])).toEqual([
        ['u1', true],
        ['u2', false],
      ]);
      expect((await locks.list(1)).map(({ holder }) => holder)).toEqual(['vera']);
    });

    it('keep runs out while a person holds them, and people while a run does', async () => {
      const { locks, runs } = await create();
      await locks.acquire(byVera);
      await expect(runs.open(aRun())).rejects.toMatchObject(isLocked);
      expect(await runs.list('u1')).toEqual([]);
      await locks.release('u1', 'lock-1');

      const run = aRun('destroy', 7n);
      const since = await runs.open(run);
      await expect(locks.acquire(byVera)).rejects.toMatchObject(isLocked);
      // To the millisecond: who holds it since when reads the same wherever it is shown.
      expect((await locks.find('u1'))?.since).toEqual(since);
      expect(await locks.find('u1')).toMatchObject({ id: run.id, isByHand: false, operation: 'destroy', epoch: 7n });
      expect(await locks.release('u1', run.id)).toBe(false);
      expect(await locks.release('u1')).toBe(false);
      await runs.close(run.id, 'failed');
      expect(await locks.find('u1')).toBeUndefined();
    });

    it('go from an older run to a newer one, and not back', async () => {
      const { locks, runs } = await create();
      const [older, newer] = [aRun('apply', 1n), aRun('apply', 2n)];
      await runs.open(older);
      await runs.close(older.id, 'interrupted');
      await runs.open(newer);
      await runs.close(older.id, 'interrupted');

      expect(await locks.find('u1')).toMatchObject({ id: newer.id, epoch: 2n });
    });

    it('are not taken by checks, which change nothing', async () => {
      const { locks, runs } = await create();
      await locks.acquire(byVera);
      await runs.open(aRun('check'));
      expect(await locks.find('u1')).toMatchObject({ holder: 'vera' });
    });

    it('go with all that is known of an Infrastructure', async () => {
      const { locks, runs } = await create();
      await runs.open(aRun());
      await runs.removeAll('u1');
      expect(await locks.find('u1')).toBeUndefined();
    });

    it.each([
      { name: 'nobody holds it', held: undefined, id: undefined, want: 'done' },
      { name: 'it is held under the id', held: 'hand', id: 'lock-1', want: 'done' },
      { name: 'a person holds it', held: 'hand', id: undefined, want: 'StateLocked' },
      { name: 'it is held under another id', held: 'hand', id: 'lock-2', want: 'StateNotLocked' },
      { name: 'nobody holds it, but an id is named', held: undefined, id: 'lock-1', want: 'StateNotLocked' },
      { name: 'a run holds it', held: 'run', id: undefined, want: 'StateLocked' },
    ] as const)('let work be done in quiet when $name: $want', async ({ held, id, want }) => {
      const { locks, runs } = await create();
      if (held === 'hand') await locks.acquire(byVera);
      if (held === 'run') await runs.open(aRun());

      const outcome = await locks
        .whileQuiet('u1', { id }, () => Promise.resolve('done'))
        .catch((error: { details: { reason: string } }) => error.details.reason);
      expect(outcome).toBe(want);
    });

    it('do not let a dead run keep work from being done, and fence it out', async () => {
      const { locks, runs } = await create();
      await runs.open(aRun('apply', 7n));
      const work = (epoch: bigint): Promise<bigint> => Promise.resolve(epoch);
      const asked = (isDead: boolean): Promise<bigint> =>
        locks.whileQuiet('u1', { isDead: ({ epoch }) => Promise.resolve(isDead && epoch === 7n) }, work);
      await expect(asked(false)).rejects.toMatchObject(isLocked);
      expect((await asked(true)) > 7n).toBe(true);
      expect(await locks.find('u1')).toMatchObject({ isByHand: false });

      await locks.acquire({ ...byVera, infrastructureUid: 'u2' });
      await expect(locks.whileQuiet('u2', { isDead: () => Promise.resolve(true) }, work)).rejects.toMatchObject(
        isLocked,
      );
    });

    it('remember when a person was last heard of', async () => {
      const { locks } = await create();
      await locks.acquire(byVera);
      const { since, seenAt } = (await locks.find('u1'))!;
      expect(seenAt).toEqual(since);
      await delay(5);
      await locks.whileQuiet('u1', { id: byVera.id }, () => Promise.resolve());
      const later = (await locks.find('u1'))!;
      expect([later.since, later.seenAt > seenAt]).toEqual([since, true]);
      await delay(5);
      await locks.acquire(byVera);
      expect((await locks.find('u1'))!.seenAt > later.seenAt).toBe(true);
    });

    it('of people are counted once they are silent for longer, those of runs never', async () => {
      const { locks, runs } = await create();
      await locks.acquire({ ...byVera, infrastructureUid: 'u2' });
      await locks.acquire({ ...byVera, infrastructureUid: 'u3' });
      await runs.open(aRun());
      expect(await locks.countSilent(60_000)).toBe(0);
      // As if it were a minute later.
      expect(await locks.countSilent(-60_000)).toBe(2);
    });

    it('tell how old the oldest is, of runs and of people', async () => {
      const { locks, runs } = await create();
      expect([await locks.oldestMs('run'), await locks.oldestMs('person')]).toEqual([0, 0]);
      await locks.acquire({ ...byVera, infrastructureUid: 'u2' });
      await delay(20);
      await runs.open(aRun());
      const [run, person] = [await locks.oldestMs('run'), await locks.oldestMs('person')];
      expect(person).toBeGreaterThanOrEqual(19); // A timer of 20 ms may end within the twentieth by the clock of the wall.
      expect(run).toBeLessThan(person);
    });

    it('let one of many have it', async () => {
      const { locks, runs } = await create();
      const people = Array.from({ length: 10 }, (_, n) => locks.acquire({ ...byVera, id: `lock-${n}` }));
      const opened = Array.from({ length: 5 }, () => runs.open(aRun('apply', 3n)));
      const outcomes = await Promise.allSettled([...people, ...opened]);

      const held = await locks.find('u1');
      const won = outcomes.slice(0, 10).filter(({ status }) => status === 'fulfilled');
      // Runs of one epoch are of one pass, which opens one at a time: they may follow each other, never a person.
      expect(won).toHaveLength(held?.isByHand ? 1 : 0);
    });
  });

  describe(`${name} and what people change`, () => {
    it('remember it as a run that did not succeed, which a pass from before opens none after', async () => {
      const { runs } = await create();
      const run = aRun('apply', 2n ** 40n);
      await runs.open(run);
      await runs.close(run.id, 'succeeded');
      await runs.recordEdit('u1', 2n ** 40n + 2n);

      expect(await runs.list('u1')).toMatchObject([
        { kind: 'edit', state: 'interrupted', epoch: 2n ** 40n + 2n, endedAt: expect.any(Date) },
        { id: run.id },
      ]);
      expect(await runs.listOpen('u1')).toEqual([]);
      await expect(runs.open(aRun('apply', 2n ** 40n + 1n))).rejects.toMatchObject({ code: 'Conflict' });
    });
  });
}
