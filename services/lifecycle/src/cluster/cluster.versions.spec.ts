import { beforeEach, describe, expect, it } from '@jest/globals';
import { AdmissionBench, refusalOf } from '../testing/admission-bench.js';

const GROWN = [{ name: 'workers', replicas: 5, machineType: 'm5.xlarge' }];

let bench: AdmissionBench;
beforeEach(async () => {
  bench = await AdmissionBench.start();
});

describe('a cluster whose version has left the list', () => {
  it('goes on being changed, and warns of what it can be upgraded to', async () => {
    await bench.createdBefore({ kubernetes: { version: 'v1.29.9' } });
    const { warnings } = await bench.merge({ spec: { nodePools: GROWN } });
    expect(warnings).toEqual([
      'spec.kubernetes.version: rke no longer supports v1.29.9; upgrade to v1.30.12 or v1.30.8 while it still has them',
    ]);
    expect((await bench.find())?.spec.nodePools).toMatchObject(GROWN);
  });

  it('is told when there is no upgrade any more', async () => {
    await bench.createdBefore({ kubernetes: { version: 'v1.24.17' } });
    const { warnings } = await bench.merge({ spec: { nodePools: GROWN } });
    expect(warnings).toEqual([
      'spec.kubernetes.version: rke no longer supports v1.24.17, nor any version that it can be upgraded to: move its workloads to a new cluster',
    ]);
  });

  it('takes a version of the list', async () => {
    await bench.createdBefore({ kubernetes: { version: 'v1.29.9' } });
    expect(await bench.merge({ spec: { kubernetes: { version: 'v1.30.12' } } })).toMatchObject({ warnings: [] });
  });

  it('does not take another one that has left it', async () => {
    await bench.createdBefore({ kubernetes: { version: 'v1.29.9' } });
    const refusal = await refusalOf(bench.merge({ spec: { kubernetes: { version: 'v1.29.14' } } }));
    expect(refusal).toMatchObject({ code: 'InvalidSpec', details: { causes: [{ field: 'spec.kubernetes.version' }] } });
  });

  it('warns of nothing when nothing is asked of it', async () => {
    await bench.createdBefore({ kubernetes: { version: 'v1.29.9' } });
    expect(await bench.merge({ metadata: { annotations: { note: 'x' } } })).toMatchObject({ warnings: [] });
  });
});

describe('a cluster on its way to another version', () => {
  const upgrade = (version: string): Promise<unknown> => bench.merge({ spec: { kubernetes: { version } } });
  /** What its API server said last. */
  const runs = async (version: string): Promise<void> => {
    await bench.clusters.saveStatus((await bench.find())!, { version });
  };
  beforeEach(async () => {
    await bench.create({ kubernetes: { version: 'v1.30.12' } });
    await runs('v1.30.12');
    await upgrade('v1.31.4');
  });

  it('is not sent past it before it runs it', async () => {
    expect(await refusalOf(upgrade('v1.32.4'))).toMatchObject({
      code: 'InvalidSpec',
      details: {
        causes: [
          {
            field: 'spec.kubernetes.version',
            message:
              'Invalid value: "v1.32.4": leaves a minor version out, because the cluster still runs v1.30.12: wait until it is Ready with v1.31.4',
          },
        ],
      },
    });
    await runs('v1.31.4');
    await upgrade('v1.32.4');
  });

  it.each([
    { reason: 'another patch of it', version: 'v1.31.8' },
    { reason: 'back', version: 'v1.30.12' },
  ])('may take $reason', async ({ version }) => {
    await upgrade(version);
    expect((await bench.find())?.spec.kubernetes.version).toBe(version);
  });
});
