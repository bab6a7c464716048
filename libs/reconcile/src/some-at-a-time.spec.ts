import { describe, expect, it } from '@jest/globals';
import { someAtATime } from './some-at-a-time.js';

describe('someAtATime', () => {
  it('asks about no more than so many at once, and answers in order', async () => {
    let [open, most] = [0, 0];
    const answers = await someAtATime([5, 1, 4, 2, 3], 2, async (ticks, index) => {
      open += 1;
      most = Math.max(most, open);
      for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve();
      open -= 1;
      return `${index}: ${ticks}`;
    });

    expect(answers).toEqual(['0: 5', '1: 1', '2: 4', '3: 2', '4: 3']);
    expect(most).toBe(2);
  });

  it('asks about nothing more once one has failed', async () => {
    const asked: number[] = [];
    const ask = (one: number): Promise<never> => {
      asked.push(one);
      return Promise.reject(new Error(`No ${one}`));
    };
    await expect(someAtATime([1, 2, 3], 2, ask)).rejects.toThrow('No 1');
    expect(asked).toEqual([1, 2]);
  });
});
