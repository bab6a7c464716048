import { describe, expect, it } from '@jest/globals';
import { eventually } from '@crate/testing';
import { sharedClock } from './shared-clock.js';

describe('a shared clock', () => {
  it('is that of the database, and goes on without asking it', async () => {
    const at = new Date('2026-01-31T12:00:00Z').getTime();
    let asked = 0;
    const read = sharedClock({ now: () => Promise.resolve(new Date(at + 1000 * asked++)) });

    const now = await read();
    const first = now().getTime();
    expect(first).toBeGreaterThanOrEqual(at);
    await eventually(() => expect(now().getTime()).toBeGreaterThan(first));
    expect(asked).toBe(1);
    expect((await read())().getTime()).toBeGreaterThanOrEqual(at + 1000);
  });
});
