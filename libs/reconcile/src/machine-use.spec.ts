import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '@crate/testing';
import { MachineUse } from './machine-use.js';

const SPIN = 'for (;;) Math.random();';

describe('MachineUse', () => {
  it('sees processors that are all at work', async () => {
    const use = new MachineUse();
    const workers = Array.from({ length: availableParallelism() }, () => new Worker(SPIN, { eval: true }));
    try {
      await eventually(() => Promise.resolve(expect(use.share()).toBeGreaterThan(0.9)));
    } finally {
      await Promise.all(workers.map((worker) => worker.terminate()));
    }
  });

  it('gives a share, also when it is asked again at once', () => {
    const use = new MachineUse();
    for (let call = 0; call < 100; call++) {
      const share = use.share();
      expect(share).toBeGreaterThanOrEqual(0);
      expect(share).toBeLessThanOrEqual(1);
    }
  });
});
