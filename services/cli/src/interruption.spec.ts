import { describe, expect, it } from '@jest/globals';
import { noteOfWhatGoesOn, whileItGoesOn } from './interruption.js';

describe('whileItGoesOn', () => {
  it('has its note for as long as it waits', async () => {
    expect(await whileItGoesOn('It goes on', async () => noteOfWhatGoesOn())).toBe('It goes on');
    expect(noteOfWhatGoesOn()).toBeUndefined();
  });

  it('has none after a failure', async () => {
    const failed = whileItGoesOn('It goes on', async () => Promise.reject(new Error('no')));
    await expect(failed).rejects.toThrow('no');
    expect(noteOfWhatGoesOn()).toBeUndefined();
  });
});
