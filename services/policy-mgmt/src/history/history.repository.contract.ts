import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { NO_COUNTS } from '../report/assessment.js';
import type { HistoryPoint, HistoryRepository } from './history.repository.js';

export interface HistoryRepositoryFixture {
  readonly points: HistoryRepository;
  readonly close: () => Promise<void>;
}

const DAY_MS = 86_400_000;
const KEY = { namespace: 'team-a', cluster: 'demo' };
const PROJECT = { namespace: 'team-a', cluster: '' };

function at(time: string, pass = 1): HistoryPoint {
  const rules = { ...NO_COUNTS, pass };
  return { at: new Date(`2026-11-${time}:00Z`), rules, frameworks: { 'NIST 800-53': rules } };
}

/** What every store of points does. */
export function historyRepositoryContract(name: string, open: () => Promise<HistoryRepositoryFixture>): void {
  describe(`${name} as a store of points`, () => {
    let fixture: HistoryRepositoryFixture;
    let points: HistoryRepository;
    beforeEach(async () => {
      fixture = await open();
      ({ points } = fixture);
    });
    afterEach(() => fixture.close());

    it('gives them back in order, the newest so many', async () => {
      const all = [at('20T10:00'), at('21T10:00'), at('22T10:00')];
      for (const point of all) await points.put(KEY, point, point.at);
      expect(await points.list(KEY, 10)).toEqual(all);
      expect(await points.list(KEY, 2)).toEqual(all.slice(1));
      expect(await points.last(KEY)).toEqual(all[2]);
      expect(await points.last(PROJECT)).toBeUndefined();
    });

    it('puts a point in the place of those that are not settled', async () => {
      const [old, wavering, settled] = [at('22T10:00'), at('22T10:58', 2), at('22T11:00', 3)];
      for (const point of [old, wavering]) await points.put(KEY, point, point.at);
      await points.put(KEY, settled, new Date('2026-11-22T10:55:00Z'));
      expect(await points.list(KEY, 10)).toEqual([old, settled]);
    });

    it('removes those of one key, and those that are too old', async () => {
      const [old, young] = [2, 1].map((days) => ({ ...at('20T10:00'), at: new Date(Date.now() - days * DAY_MS) }));
      for (const key of [KEY, PROJECT]) {
        for (const point of [old, young]) if (point) await points.put(key, point, point.at);
      }
      await points.removeOlder(1.5 * DAY_MS);
      expect(await points.list(PROJECT, 10)).toEqual([young]);
      await points.remove(KEY);
      expect([await points.list(KEY, 10), await points.list(PROJECT, 10)]).toEqual([[], [young]]);
    });
  });
}
