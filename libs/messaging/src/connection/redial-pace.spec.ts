import { describe, expect, it } from '@jest/globals';
import { RedialPace } from './redial-pace.js';

describe('RedialPace', () => {
  let now = 0;
  const paceOf = (servers: number): RedialPace => {
    now = 0;
    return new RedialPace(
      servers,
      () => now,
      () => 0.5,
    );
  };

  it('lets each server be dialled once, then pauses', () => {
    const pace = paceOf(2);
    expect([pace.waitMs(), pace.waitMs(), pace.waitMs()]).toEqual([-Infinity, -Infinity, 625]);
    now = 600;
    expect(pace.waitMs()).toBe(25);
    now = 625;
    expect([pace.waitMs(), pace.waitMs(), pace.waitMs()]).toEqual([-Infinity, -Infinity, 625]);
  });

  it('dials at once when it was quiet for long', () => {
    const pace = paceOf(1);
    pace.waitMs();
    now = 60_000;
    expect(pace.waitMs()).toBe(-Infinity);
  });
});
