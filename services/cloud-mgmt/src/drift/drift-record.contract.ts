import { describe, expect, it } from '@jest/globals';
import { newDriftRecord, type DriftRecord } from './drift-record.js';
import type { DriftRecordRepository } from './drift-record.repository.js';

const NOW = new Date('2026-11-21T12:00:00Z');
const DRIFT = { since: '2026-11-21T12:00:00Z', digest: '0123456789ab', resources: [], omitted: 1 };
const FULL: DriftRecord = {
  notedAt: NOW,
  checkedAt: new Date('2026-11-21T13:00:00Z'),
  failedAt: new Date('2026-11-21T14:00:00Z'),
  failures: 2,
  failure: { code: 'Throttled', message: 'Too many requests' },
  runId: 'run-1',
  stance: 'hold any 3',
  answered: 'now',
  resolved: 'keep-0123456789ab',
  drift: { ...DRIFT, kept: [{ address: 'a', path: 'b' }] },
  held: { code: 'ImpactAboveCeiling', message: 'It destroys a' },
  unasked: 'replace a (replace)',
  isExempt: false,
};

/** What every `DriftRecordRepository` does; `create` gives an empty one. */
export function driftRecordContract(name: string, create: () => Promise<DriftRecordRepository>): void {
  describe(`${name} as a DriftRecordRepository`, () => {
    it('gives back what it was given', async () => {
      const records = await create();
      expect(await records.find('u1')).toBeUndefined();
      await records.save('u1', 1n, newDriftRecord(NOW, undefined));
      expect(await records.find('u1')).toEqual(newDriftRecord(NOW, undefined));
      await records.save('u1', 1n, FULL);
      expect(await records.find('u1')).toEqual(FULL);
      await records.save('u1', 2n ** 60n, newDriftRecord(NOW, 'run-2'));
      expect(await records.find('u1')).toEqual(newDriftRecord(NOW, 'run-2'));
    });

    it('refuses an older epoch', async () => {
      const records = await create();
      await records.save('u1', 5n, FULL);
      await expect(records.save('u1', 4n, newDriftRecord(NOW, undefined))).rejects.toMatchObject({ code: 'Conflict' });
      expect(await records.find('u1')).toEqual(FULL);
    });

    it('keeps text that a database would refuse', async () => {
      const records = await create();
      await records.save('u1', 1n, { ...FULL, failure: { code: 'x', message: 'nul \0 and half \ud800 pair' } });
      expect((await records.find('u1'))?.failure?.code).toBe('x');
    });

    it('says what all come to', async () => {
      const records = await create();
      expect(await records.summary()).toEqual({ drifted: 0, failing: 0, exempt: 0, oldestCheckAt: undefined });
      await records.save('u1', 1n, FULL);
      await records.save('u2', 1n, newDriftRecord(NOW, undefined));
      const kept = { ...DRIFT, omitted: 0, kept: [{ address: 'a', path: 'b' }] };
      await records.save('u3', 1n, { ...newDriftRecord(NOW, undefined), drift: kept, checkedAt: FULL.checkedAt });
      expect(await records.summary()).toEqual({ drifted: 1, failing: 1, exempt: 0, oldestCheckAt: NOW });
    });

    it('waits for none of those that nobody is to compare, and counts them', async () => {
      const records = await create();
      await records.save('u1', 1n, { ...newDriftRecord(NOW, undefined), failures: 1, isExempt: true });
      expect(await records.find('u1')).toMatchObject({ isExempt: true });
      expect(await records.summary()).toMatchObject({ failing: 0, exempt: 1, oldestCheckAt: undefined });
      await records.save('u2', 1n, FULL);
      expect(await records.summary()).toMatchObject({ failing: 1, exempt: 1, oldestCheckAt: FULL.checkedAt });
    });

    it('forgets, twice if need be', async () => {
      const records = await create();
      await records.save('u1', 1n, FULL);
      await records.remove('u1');
      await records.remove('u1');
      expect(await records.find('u1')).toBeUndefined();
    });
  });
}
