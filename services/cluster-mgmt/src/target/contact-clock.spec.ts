import { describe, expect, it } from '@jest/globals';
import { ContactClock } from './contact-clock.js';

describe('ContactClock', () => {
  it('runs from the first miss, for each cluster apart, and starts anew when one answers', () => {
    let now = 0;
    const clock = new ContactClock(100, () => now);
    expect(clock.missed('a')).toBe(false);
    now = 99;
    expect(clock.missed('a')).toBe(false);
    now = 100;
    expect(clock.missed('a')).toBe(true);
    expect(clock.missed('b')).toBe(false);
    clock.heard('a');
    expect(clock.missed('a')).toBe(false);
  });

  it('starts anew where nothing was missed for long: another replica may have heard the cluster meanwhile', () => {
    let now = 0;
    const clock = new ContactClock(100, () => now);
    expect(clock.missed('a')).toBe(false);
    now = 8 * 60_000;
    expect(clock.missed('a')).toBe(false);
    now += 100;
    expect(clock.missed('a')).toBe(true);
  });

  it.each([100, 600_000])('runs on while the cluster is missed again and again: a grace time of %d ms', (graceMs) => {
    let now = 0;
    const clock = new ContactClock(graceMs, () => now);
    for (; now < graceMs; now += 60_000) expect(clock.missed('a')).toBe(false);
    expect(clock.missed('a')).toBe(true);
  });

  it('runs on where so many are silent that each is seldom looked at', () => {
    let now = 0;
    const clock = new ContactClock(60_000, () => now);
    const round = (): readonly boolean[] =>
      Array.from({ length: 1000 }, (_, index) => {
        now += 600;
        return clock.missed(`cluster-${index}`);
      });
    expect(round()).not.toContain(true);
    expect(round()).not.toContain(false);
    now += 60 * 60_000;
    expect(clock.missed('cluster-0')).toBe(false);
  });
});
