import { describe, expect, it } from '@jest/globals';
import { eventually } from './index.js';

describe('eventually', () => {
  it('gives the value once the probe stops throwing', async () => {
    let calls = 0;
    const value = await eventually(() => {
      calls += 1;
      if (calls < 4) throw new Error('Not yet');
      return calls;
    });

    expect(value).toBe(4);
  });

  it('waits while the probe gives false', async () => {
    let calls = 0;
    await eventually(() => (calls += 1) > 2);

    expect(calls).toBe(3);
  });

  it.each([
    { name: 'the last error', probe: () => Promise.reject(new Error('Still wrong')), want: 'Still wrong' },
    { name: 'that the condition stayed false', probe: () => false, want: 'did not come true' },
  ])('reports $name when the time is over', async ({ probe, want }) => {
    await expect(eventually(probe, { timeoutMs: 10 })).rejects.toThrow(want);
  });
});
