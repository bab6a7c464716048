import { expect, it } from '@jest/globals';
import { shiftClock } from './shifted-clock.js';

it.each([600_000, -600_000])('the clock is wrong by %d ms until it is put right', (byMs) => {
  const before = Date.now();
  const putRight = shiftClock(byMs);
  const shifted = [Date.now(), new Date().getTime()];
  const fixed = new Date(0).getTime();
  putRight();

  for (const time of shifted) expect(Math.abs(time - before - byMs)).toBeLessThan(60_000);
  expect(fixed).toBe(0);
  expect(Math.abs(Date.now() - before)).toBeLessThan(60_000);
});
