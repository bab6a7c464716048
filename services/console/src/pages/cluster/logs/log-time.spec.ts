import { describe, expect, it } from '@jest/globals';
import { logTimesIn } from './log-time.js';

describe('times of a log', () => {
  const { clockOf, momentOf } = logTimesIn('Asia/Tokyo');

  it('are those of the zone, with their date where there is room', () => {
    expect(clockOf('2026-11-22T15:21:31.083000Z')).toBe('00:21:31');
    expect(momentOf('2026-11-22T15:21:31.083000Z')).toMatch(/23.*2026.*12:21:31|23.*2026.*0?0:21:31/);
  });

  it('are empty for a line that has none', () => {
    expect(clockOf('')).toBe('');
  });
});
