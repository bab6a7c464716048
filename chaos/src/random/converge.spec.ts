import { describe, expect, it } from '@jest/globals';
import type { WorkingProcess } from '../platform/working-processes.js';
import { anObject } from '../testing/a-world.js';
import type { Records } from '../world/records.js';
import { pidsAtWork, untilConverged } from './converge.js';

const LONG_MS = 3_600_000;
const programs = {
  look: (): readonly WorkingProcess[] => [{ pid: 30, pgid: 30, workspace: '/w/one', isStopped: false }],
};

/** A platform with one Cluster that has no parts, until they are asked for so often. */
function platformWith({ settledAtLook }: { readonly settledAtLook: number }): Parameters<typeof untilConverged>[0] {
  let looks = 0;
  const records: Pick<Records, 'objects' | 'runs'> = {
    objects: (_schema, kind) => {
      if (kind !== 'Cluster') return Promise.resolve([]);
      looks += 1;
      if (looks === 1) return Promise.reject(new Error('the database is being started'));
      return Promise.resolve(looks < settledAtLook ? [anObject('Cluster')] : []);
    },
    runs: () => Promise.resolve([]),
  };
  return {
    records: records as Records,
    pids: () => Promise.resolve({}),
    finderOf: () => programs as ReturnType<Parameters<typeof untilConverged>[0]['finderOf']>,
  };
}

describe('waiting until everything is as asked', () => {
  it('ends when it is, also where nobody could look before', async () => {
    const { convergedAfterMs, unsettled } = await untilConverged(platformWith({ settledAtLook: 3 }), LONG_MS);
    expect(convergedAfterMs).toBeGreaterThanOrEqual(0);
    expect(unsettled).toEqual([]);
  });

  it('says what was not when the time is over', async () => {
    const { convergedAfterMs, unsettled } = await untilConverged(platformWith({ settledAtLook: Infinity }), 1);
    expect(convergedAfterMs).toBeUndefined();
    expect(unsettled).toEqual(['nobody can look: Error: the database is being started']);
  });

  it('lets people help at each look, until it is', async () => {
    let helped = 0;
    const help = (): Promise<void> => Promise.resolve(void (helped += 1));
    await untilConverged(platformWith({ settledAtLook: 3 }), LONG_MS, { help });
    expect(helped).toBe(2);
  });

  it('ends before that once it is told to', async () => {
    let looks = 0;
    const isOver = (): boolean => (looks += 1) === 2;
    const ended = await untilConverged(platformWith({ settledAtLook: Infinity }), LONG_MS, { isOver });
    expect(ended.convergedAfterMs).toBeUndefined();
    expect(ended.unsettled).toEqual(['of 1 Clusters there are 0 Infrastructures and 0 KubernetesClusters']);
  });

  it('counts no time in which Terraform or rke waits for a processor, nor a service or this process', async () => {
    const platform = { pids: () => Promise.resolve({ lifecycle: 10, 'cloud-mgmt': 20 }) };
    expect(await pidsAtWork(platform, [programs, programs])).toEqual([process.pid, 10, 20, 30, 30]);
    expect(await pidsAtWork({ pids: () => Promise.reject(new Error('between two lives')) }, [])).toEqual([process.pid]);
  });
});
