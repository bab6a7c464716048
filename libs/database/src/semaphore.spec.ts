import { describe, expect, it } from '@jest/globals';
import { Semaphore } from './semaphore.js';

describe('Semaphore', () => {
  it('lets so many work at a time, and the others in the order in which they came, whatever comes of it', async () => {
    const semaphore = new Semaphore(2);
    const began: number[] = [];
    const end: (() => void)[] = [];
    const work = (n: number): Promise<void> =>
      semaphore.run(async () => {
        began.push(n);
        await new Promise<void>((resolve) => (end[n] = resolve));
        if (n === 0) throw new Error('No');
      });
    const all = [0, 1, 2, 3].map(work);
    expect(began).toEqual([0, 1]);

    end[0]?.();
    await expect(all[0]).rejects.toThrow('No');
    expect(began).toEqual([0, 1, 2]);
    end[2]?.();
    await all[2];
    expect(began).toEqual([0, 1, 2, 3]);
    for (const n of [1, 3]) end[n]?.();
    await Promise.all([all[1], all[3]]);
  });
});
