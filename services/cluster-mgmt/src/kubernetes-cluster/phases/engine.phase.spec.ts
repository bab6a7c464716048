import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { machineSpec } from '../../testing/builders.js';
import { ClusterBench } from '../../testing/cluster-bench.js';

let bench: ClusterBench;
beforeEach(async () => {
  bench = new ClusterBench();
  await bench.makeReady(machineSpec());
  bench.engine.calls.length = 0;
});
afterEach(() => bench.watches.close());

describe('an engine state that was set back', () => {
  it('is named, pass after pass, and the engine does not run on it', async () => {
    const { stateSerial } = (await bench.read()).status!;
    expect(stateSerial).toBe(1);
    bench.engine.setBack();

    for (let pass = 0; pass < 2; pass += 1) {
      await bench.pass().catch(() => undefined);
      const { status } = await bench.read();
      expect(status?.failure).toMatchObject({ code: 'StateRolledBack', remedy: expect.stringContaining('backup') });
      expect(status?.stateSerial).toBe(1);
    }
    expect(bench.engine.calls).not.toContain('up');
  });
});
