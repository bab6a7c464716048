import { describe, expect, it } from '@jest/globals';
import { Teardown } from './teardown.js';

describe('Teardown', () => {
  it('undoes the last step first, one after the other, and only once', async () => {
    const done: string[] = [];
    const teardown = new Teardown();
    for (const name of ['first', 'second', 'third']) {
      teardown.add(async () => {
        await Promise.resolve();
        done.push(name);
      });
    }
    await teardown.run();
    await teardown.run();
    expect(done).toEqual(['third', 'second', 'first']);
  });

  it('goes on after a failure, and throws the first one', async () => {
    const done: string[] = [];
    const teardown = new Teardown();
    teardown.add(() => done.push('first'));
    teardown.add(() => Promise.reject(new Error('second')));
    teardown.add(() => {
      throw new Error('third');
    });
    await expect(teardown.run()).rejects.toThrow('third');
    expect(done).toEqual(['first']);
  });
});
