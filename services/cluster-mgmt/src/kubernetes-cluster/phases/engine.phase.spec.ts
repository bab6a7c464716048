import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { engineFailure } from '../../engine/engine-failure.js';
import { machineSpec, NODE_NAMES } from '../../testing/builders.js';
import { engineStateDamaged } from '../../engine-state/engine-state-damage.js';
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
      expect(status?.failure).toMatchObject({
        code: 'StateRolledBack',
        remedy: expect.stringContaining('crate state restore'),
      });
      expect(status?.stateSerial).toBe(1);
    }
    expect(bench.engine.calls).not.toContain('up');
  });
});

describe('an engine state that was changed', () => {
  it.each([
    { damage: 'tampered', code: 'StateTampered' },
    { damage: 'foreign', code: 'StateForeign' },
  ] as const)('is noticed in a cluster that is settled, too: $code', async ({ damage, code }) => {
    bench.engine.damage = engineStateDamaged(damage);
    await bench.pass().catch(() => undefined);
    expect((await bench.read()).status?.failure).toMatchObject({ code, retryable: true });
    expect(bench.engine.calls).toEqual([]);

    bench.engine.damage = undefined;
    await bench.pass();
    expect((await bench.read()).status?.failure).toBeUndefined();
  });
});

describe('machines in their first boot', () => {
  beforeEach(async () => {
    bench.engine.failure = engineFailure('FirstBoot', '10.0.0.1: Docker does not answer');
    await bench.setSpec(machineSpec([...NODE_NAMES, 'demo-workers-1']));
  });

  it('are waited for, which is no failure', async () => {
    expect(await bench.pass()).toMatchObject({ kind: 'waiting', reason: 'WaitingForMachines' });

    const { status } = await bench.read();
    expect(status?.failure).toBeUndefined();
    expect(status?.progress?.message).toBe('Waiting for Docker on new machines');
    expect(await bench.condition('Ready')).toBe('False WaitingForMachines');
  });

  it('are a failure once Docker should have been there', async () => {
    bench.engine.failure = engineFailure('DockerNotReady', '10.0.0.1: Docker does not answer');

    await expect(bench.pass()).rejects.toMatchObject({ details: { reason: 'DockerNotReady' } });
    expect((await bench.read()).status?.failure?.code).toBe('DockerNotReady');
  });
});
