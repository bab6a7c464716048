import { describe, it } from '@jest/globals';
import { InMemoryWorkQueue, workQueueContract } from './index.js';

describe('InMemoryWorkQueue', () => {
  it.each(workQueueContract)('$name', async ({ run }) => {
    let time = 0;
    const queue = new InMemoryWorkQueue(() => time);
    await run({ queue, advance: async (ms) => void (time += ms) });
  });
});
