import { describe, expect, it } from '@jest/globals';
import { newDriftRecord, withFailure, type DriftRecord } from './drift-record.js';
import { nextCheckAt, postponedMs } from './drift-schedule.js';

const MINUTE_MS = 60_000;
const NOW = new Date('2026-11-21T12:00:00Z');
const HOURLY = { policy: 'observe', everyMinutes: 60 } as const;
const uids = Array.from({ length: 1_000 }, (_, index) => `uid-${index}`);
const minutesUntil = (record: DriftRecord, uid: string, spec = HOURLY): number =>
  (nextCheckAt(record, spec, uid).getTime() - NOW.getTime()) / MINUTE_MS;

describe('nextCheckAt', () => {
  const fresh = newDriftRecord(NOW, undefined);
  const checked: DriftRecord = { ...fresh, checkedAt: NOW };

  it('spreads what was never compared over the first interval', () => {
    const minutes = uids.map((uid) => minutesUntil(fresh, uid)).sort((a, b) => a - b);
    expect(minutes[0]).toBeGreaterThanOrEqual(0);
    expect(minutes.at(-1)).toBeLessThanOrEqual(60);
    for (const [index, limit] of [100, 500, 900].entries()) {
      expect(Math.abs((minutes[limit] ?? 0) - [6, 30, 54][index]!)).toBeLessThan(6);
    }
  });

  it('comes a tenth earlier to a tenth later than said, another time for each', () => {
    const minutes = uids.map((uid) => minutesUntil(checked, uid));
    expect(Math.min(...minutes)).toBeGreaterThanOrEqual(54);
    expect(Math.max(...minutes)).toBeLessThanOrEqual(66);
    expect(Math.max(...minutes) - Math.min(...minutes)).toBeGreaterThan(10);
  });

  it('is the same however often it is asked, also after a restart', () => {
    expect(nextCheckAt(checked, HOURLY, 'u1')).toEqual(nextCheckAt({ ...checked }, HOURLY, 'u1'));
    const later = { ...checked, checkedAt: new Date(NOW.getTime() + MINUTE_MS) };
    expect(minutesUntil(later, 'u1')).not.toBe(minutesUntil(checked, 'u1') + 1);
  });

  it('follows the interval when that changes', () => {
    expect(minutesUntil(checked, 'u1', { ...HOURLY, everyMinutes: 10 } as never)).toBeLessThanOrEqual(11);
  });

  it('tries again sooner after a failure, ever later, and never later than the interval', () => {
    let record = checked;
    const delays = [1, 2, 4, 8, 16, 32, 60, 60].map((most) => {
      record = withFailure(record, { code: 'Throttled', message: '' }, NOW);
      const minutes = minutesUntil(record, 'u1');
      expect(minutes).toBeLessThanOrEqual(most);
      expect(minutes).toBeGreaterThanOrEqual(most * 0.9);
      return minutes;
    });
    expect(delays).toHaveLength(8);
  });
});

describe('postponedMs', () => {
  it.each([
    { minutesAgo: 0, least: 2_500, most: 7_500 },
    { minutesAgo: 60, least: 18_000, most: 54_000 },
    { minutesAgo: 10_000, least: 150_000, most: 450_000 },
  ])('leaves a slot to others for longer, the more wait: $minutesAgo min', ({ minutesAgo, least, most }) => {
    const checkedAt = new Date(NOW.getTime() - minutesAgo * MINUTE_MS);
    const record = { ...newDriftRecord(NOW, undefined), checkedAt };
    expect(postponedMs(record, NOW, () => 0)).toBe(least);
    expect(postponedMs(record, NOW, () => 1)).toBe(most);
  });
});
