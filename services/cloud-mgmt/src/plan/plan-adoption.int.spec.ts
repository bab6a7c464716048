import type { Infrastructure } from '@crate/api';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { aSpec } from '../testing/a-spec.js';
import { TerraformBench } from '../testing/terraform-bench.js';

jest.setTimeout(240_000);

let bench: TerraformBench;
let demo: Infrastructure;
beforeAll(async () => {
  bench = await TerraformBench.start();
  demo = bench.anInfrastructure('demo');
  await bench.execute(demo, 'apply');
});
afterAll(async () => bench.close());

const withWorkers = (workers: number): Infrastructure => ({ ...demo, spec: aSpec('demo', { workers }) });

/** A run that makes one machine more, and whose answer gets lost: the machine is there, and no state knows it. */
async function loseMachine(workers: number): Promise<void> {
  const fault = { kind: 'timeout-after-success', type: 'aws_instance', remaining: 1, probability: 1 } as const;
  await bench.sandbox.cloud.faults.put('lost', fault);
  await expect(bench.execute(withWorkers(workers), 'apply')).rejects.toMatchObject({ code: expect.any(String) });
  await bench.sandbox.cloud.faults.remove('lost');
}

describe('a preview of what exists by an unknown outcome', () => {
  it('says that it is adopted, as the run does, and not that it is made', async () => {
    await loseMachine(2);
    const before = bench.inventory();
    const seen = await bench.preview(withWorkers(3));
    expect(seen.counts).toMatchObject({ create: 1, import: 1, update: 0, replace: 0, destroy: 0 });
    expect(seen.resources.map(({ address, action }) => [action, address])).toEqual([
      ['import', 'aws_instance.demo-workers-1'],
      ['create', 'aws_instance.demo-workers-2'],
    ]);
    expect(bench.inventory()).toEqual(before);

    await bench.execute(withWorkers(3), 'apply');
    expect(bench.digests.at(-1)).toBe(seen.digest);
    expect(bench.inventory()).toHaveLength(before.length + 1);
  });

  it('says after a restore, too, that a machine is adopted which only the cloud remembers', async () => {
    const { inventory } = bench.sandbox.cloud;
    const known = inventory.list({ type: 'aws_instance', tags: { Name: 'demo-workers-2' } })[0]!;
    const tags = { ...known.tags, Name: 'demo-workers-3' };
    const attributes = { ...known.attributes, id: 'i-forgotten', tags, tags_all: tags };
    inventory.put({ ...known, id: 'i-forgotten', importId: 'i-forgotten', tags, attributes });
    bench.setBack = { begunAt: new Date(), isOpen: false };

    expect((await bench.preview(withWorkers(3))).counts).toMatchObject({ create: 0, import: 0, destroy: 0 });
    const seen = await bench.preview(withWorkers(4));
    expect(seen.counts).toMatchObject({ create: 0, import: 1, destroy: 0 });
    const before = bench.inventory();
    await bench.execute(withWorkers(4), 'apply');
    expect(bench.digests.at(-1)).toBe(seen.digest);
    expect(bench.inventory()).toEqual(before);
  });

  it('says that a deletion takes it away', async () => {
    await loseMachine(5);
    bench.setBack = { begunAt: new Date(), isOpen: true };
    const seen = await bench.preview(withWorkers(5), true);
    expect(seen.resources.map(({ address, action }) => [action, address])).toContainEqual([
      'destroy',
      'aws_instance.demo-workers-4',
    ]);
    expect(seen.counts).toMatchObject({ create: 0, import: 1 });

    await bench.execute(withWorkers(5), 'destroy');
    expect(bench.digests.at(-1)).toBe(seen.digest);
    expect(bench.inventory()).toEqual([]);
  });
});
