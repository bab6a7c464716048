import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { conflict, forbidden } from '@crate/errors';
import { engineFailure } from '../../engine/engine-failure.js';
import { machineSpec, NODE_NAMES, withoutDocker } from '../../testing/builders.js';
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

describe('a configuration that only another release writes otherwise', () => {
  beforeEach(() => bench.engine.applyAsOtherRelease());

  it('is left to the next change of the spec, and the cluster stays ready', async () => {
    for (let pass = 0; pass < 2; pass += 1) await bench.pass();
    expect(bench.engine.calls).toEqual([]);
    expect(await bench.condition('Ready')).toBe('True Ready');

    await bench.setSpec(machineSpec([...NODE_NAMES, 'demo-workers-1']));
    await bench.pass();
    expect(bench.engine.calls).toContain('up');
  });

  it('is applied where the spec was not, as a run of either release has failed', async () => {
    await bench.setSpec(machineSpec([...NODE_NAMES, 'demo-workers-1']));
    bench.engine.failure = engineFailure('DockerNotReady', '10.0.0.1: Docker does not answer');
    await expect(bench.pass()).rejects.toThrow();
    bench.engine.failure = undefined;
    bench.engine.calls.length = 0;

    await bench.pass();
    expect(bench.engine.calls).toContain('up');
  });

  it('is left, too, where the spec was applied and what comes after the engine fails', async () => {
    bench.target.list = () => Promise.reject(forbidden('Not for you'));
    await bench.setSpec(machineSpec([...NODE_NAMES, 'demo-workers-1']));
    await expect(bench.pass()).rejects.toThrow('Not for you');
    expect(bench.engine.calls).toContain('up');
    bench.engine.applyAsOtherRelease();
    bench.engine.calls.length = 0;

    await expect(bench.pass()).rejects.toThrow('Not for you');
    expect(bench.engine.calls).toEqual([]);
  });

  it('is applied again once a person has put another state in place', async () => {
    bench.engine.edit();
    await bench.pass();
    expect(bench.engine.calls).toContain('up');
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

describe('workers that nobody hears from', () => {
  const ago = (ms: number): string => new Date(bench.nowMs - ms).toISOString();
  const spec = machineSpec([...NODE_NAMES, 'demo-workers-1']);
  async function silentInRun(wanted = spec): Promise<readonly (string | undefined)[]> {
    let silent: readonly string[] = [];
    bench.engine.duringRun = ({ silentWorkers = [] }) => Promise.resolve(void (silent = silentWorkers));
    await bench.setSpec(wanted);
    await bench.pass();
    return silent.map((address) => spec.nodes.find((node) => node.address === address)?.name);
  }

  it.each([
    { reason: 'it is silent', name: 'demo-workers-0', ready: 'silent', ms: 61_000, want: ['demo-workers-0'] },
    { reason: 'it may just be restarting', name: 'demo-workers-0', ready: 'silent', ms: 5_000, want: [] },
    { reason: 'it says that it is not ready', name: 'demo-workers-0', ready: false, ms: 61_000, want: [] },
    { reason: 'it is of the control plane', name: 'demo-control-plane-0', ready: 'silent', ms: 61_000, want: [] },
    { reason: 'nobody asks for it', name: 'demo-workers-7', ready: 'silent', ms: 61_000, want: [] },
  ] as const)('are $want for the engine when $reason', async ({ name, ready, ms, want }) => {
    bench.target.setNode('demo-workers-1', { ready: true });
    bench.target.setNode(name, { ready, since: ago(ms) });

    expect(await silentInRun()).toEqual(want);
  });

  it.each([
    { ms: 61_000, want: ['demo-workers-0'] },
    { ms: 5_000, want: [] },
  ])(
    'are $want for the engine, which needs Docker there, when it was gone for $ms ms beside its kubelet',
    async ({ ms, want }) => {
      bench.target.setNode('demo-workers-1', { ready: true });
      bench.target.setNode('demo-workers-0', { ready: false });
      withoutDocker(bench.target, 'demo-workers-0', ago(ms));

      expect(await silentInRun()).toEqual(want);
    },
  );

  it('are for the engine those that never became a node', async () => {
    expect(await silentInRun()).toEqual(['demo-workers-1']);
  });

  it('are none of those where nodes are drained: the engine may reach them, and would drain one more at a time', async () => {
    expect(await silentInRun({ ...spec, version: 'v1.32.1' })).toEqual([]);
  });

  it('are none in a cluster that refuses to name them, which ends its silence', async () => {
    bench.target.isDown = true;
    await bench.pass();
    expect((await bench.read()).status?.silentSince).toBeDefined();

    bench.target.isDown = false;
    bench.target.list = () => Promise.reject(forbidden('Not for you'));
    await expect(silentInRun()).rejects.toThrow('Not for you');
    expect(bench.engine.calls.at(-1)).toBe('up');
    expect((await bench.read()).status?.silentSince).toBeUndefined();
  });

  it('are none in a cluster that is silent itself', async () => {
    bench.target.isDown = true;

    expect(await silentInRun()).toEqual([]);
  });

  it('are told by a cluster that is so heard: silent in the run after, it was not silent all the time', async () => {
    bench.target.isDown = true;
    await bench.pass();
    bench.target.isDown = false;
    bench.nowMs += 61_000;
    bench.engine.duringRun = () => Promise.resolve(void (bench.target.isDown = true));
    bench.engine.failure = engineFailure('NodeFailed', 'host demo-workers-0 not ready');
    await bench.setSpec(spec);
    await expect(bench.pass()).rejects.toThrow();

    expect(await bench.condition('ControlPlaneReady')).toBe('True Ready');
  });
});

describe('nodes', () => {
  let drains: boolean | undefined;
  beforeEach(() => {
    bench.engine.duringRun = (task) => Promise.resolve(void (drains = task.drains));
  });

  it('are not drained while their version stays', async () => {
    await bench.setSpec(machineSpec([...NODE_NAMES, 'demo-control-plane-1', 'demo-control-plane-2']));
    await bench.pass();

    expect(drains).toBe(false);
  });

  it('are drained for another version until all have it', async () => {
    await bench.setSpec({ ...machineSpec(), version: 'v1.32.1' });
    bench.engine.failure = engineFailure('NodeNotDrained', 'error draining node demo-workers-0');
    await expect(bench.pass()).rejects.toThrow();
    expect(drains).toBe(true);
    drains = undefined;
    await expect(bench.pass()).rejects.toThrow();

    expect(drains).toBe(true);
  });

  it('are drained on the way back from a version that only some have got', async () => {
    bench.engine.failure = engineFailure('NodeNotDrained', 'error draining node demo-workers-0');
    await bench.setSpec({ ...machineSpec(), version: 'v1.32.1' });
    bench.target.setNode('demo-control-plane-0', { ready: true, controlPlane: true, version: 'v1.32.1' });
    await expect(bench.pass()).rejects.toThrow();
    bench.engine.failure = undefined;
    drains = undefined;
    await bench.setSpec(machineSpec());
    await bench.pass();

    expect(drains).toBe(true);
  });

  describe('that nobody saw since an upgrade began', () => {
    const upgrade = { ...machineSpec(), version: 'v1.32.1' };

    it.each<{ readonly reason: string; readonly breakOff: () => Promise<unknown> }>([
      {
        reason: 'its pass was overtaken, of which nothing is kept',
        breakOff: () => {
          bench.engine.failure = conflict('A newer pass has taken over the cluster');
          return expect(bench.pass()).rejects.toThrow();
        },
      },
      {
        reason: 'its API is silent',
        breakOff: () => {
          bench.engine.failure = engineFailure('ControlPlaneFailed', 'Failed to bring up the control plane');
          bench.target.isDown = true;
          return expect(bench.pass()).rejects.toThrow();
        },
      },
    ])('are drained on the way back where $reason, until a run succeeds', async ({ breakOff }) => {
      await bench.setSpec(upgrade);
      await breakOff();
      await bench.setSpec(machineSpec());
      for (let run = 0; run < 2; run += 1) {
        drains = undefined;
        await expect(bench.pass()).rejects.toThrow();
        expect(drains).toBe(true);
      }
      bench.engine.failure = undefined;
      bench.target.isDown = false;
      await bench.pass();

      await bench.setSpec(machineSpec([...NODE_NAMES, 'demo-workers-1']));
      await bench.pass();
      expect(drains).toBe(false);
    });
  });
});
