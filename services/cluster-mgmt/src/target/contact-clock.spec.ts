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
});
