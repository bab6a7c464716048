import { describe, expect, it } from '@jest/globals';
import type { MaintenanceWindow } from '@crate/api';
import { windowState } from './maintenance-window.js';

/** A Sunday. */
const NOON = '2026-11-22T12:00:00Z';
const NIGHTS: MaintenanceWindow = { start: '23:00', durationMinutes: 120 };

describe('windowState', () => {
  it.each<{ name: string; window: MaintenanceWindow | undefined; now: string; want: string }>([
    { name: 'is open without a window', window: undefined, now: NOON, want: 'open' },
    { name: 'is open from its first moment on', window: NIGHTS, now: '2026-11-22T23:00:00Z', want: 'open' },
    { name: 'is open past midnight', window: NIGHTS, now: '2026-11-23T00:59:59Z', want: 'open' },
    { name: 'ends on time', window: NIGHTS, now: '2026-11-23T01:00:00Z', want: '2026-11-23T23:00:00.000Z' },
    { name: 'opens later today', window: NIGHTS, now: NOON, want: '2026-11-22T23:00:00.000Z' },
    {
      name: 'waits for its day, a week at most',
      window: { ...NIGHTS, days: ['Sun'], start: '11:00', durationMinutes: 30 },
      now: NOON,
      want: '2026-11-29T11:00:00.000Z',
    },
    {
      name: 'is that of the day on which it began',
      window: { ...NIGHTS, days: ['Sat'] },
      now: '2026-11-22T00:30:00Z',
      want: 'open',
    },
  ])('$name', ({ window, now, want }) => {
    const state = windowState(window, new Date(now));
    expect(state.isOpen ? 'open' : state.opensAt.toISOString()).toBe(want);
  });
});
