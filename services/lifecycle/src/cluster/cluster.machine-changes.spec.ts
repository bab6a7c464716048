import { describe, expect, it } from '@jest/globals';
import type { Failure, Infrastructure } from '@crate/api';
import type { ErrorCause } from '@crate/errors';
import { aCluster, anInfrastructure, ready } from '../testing/a-cluster.js';
import { machineChangeCauses } from './cluster.machine-changes.js';
import { machineGroups as machineGroupsOf } from './cluster.nodes.js';

const aPool = (changes: Record<string, unknown> = {}): Record<string, unknown> => ({
  nodePools: [{ name: 'workers', replicas: 2, machineType: 'm5.large', diskGiB: 100, ...changes }],
});
/** What cloud-mgmt was told last of these disks, all of which it has made. */
function told(spec: Record<string, unknown>, status: Infrastructure['status'] = {}): Infrastructure {
  const infrastructure = anInfrastructure({ stateSerial: 3, ...status });
  const machineGroups = machineGroupsOf(aCluster(spec).spec);
  return { ...infrastructure, spec: { ...infrastructure.spec, clusterUid: aCluster().metadata.uid, machineGroups } };
}
const causes = (
  now: Record<string, unknown>,
  was = aPool(),
  found: Infrastructure | undefined = told(was),
): Promise<ErrorCause[]> => machineChangeCauses(aCluster(now), aCluster(was), () => Promise.resolve(found));
const fieldsOf = async (...given: Parameters<typeof causes>): Promise<readonly (string | undefined)[]> =>
  (await causes(...given)).map(({ field }) => field);

describe('a change of machines', () => {
  it.each([
    { name: 'a pool gets another architecture', now: aPool({ machineType: 'm6g.large' }), field: 'machineType' },
    { name: 'the disks of a pool shrink', now: aPool({ diskGiB: 50 }), field: 'diskGiB' },
  ])('is refused when $name', async ({ now, field }) => {
    const found = await causes(now);
    expect(found).toMatchObject([{ field: `spec.nodePools[0].${field}` }]);
    expect(found[0]?.message).toMatch(/add a pool and take the old one away$/);
  });

  it('is refused when the control plane gets another architecture or smaller disks', async () => {
    const was = { controlPlane: { machineType: 'm6g.large', diskGiB: 100 } };
    expect(await fieldsOf({ controlPlane: { machineType: 'm5.large', diskGiB: 50 } }, was)).toEqual([
      'spec.controlPlane.machineType',
      'spec.controlPlane.diskGiB',
    ]);
  });

  it.each([
    { name: 'another size', now: aPool({ machineType: 'm6i.4xlarge' }) },
    { name: 'larger disks', now: aPool({ diskGiB: 200 }) },
    { name: 'another pool instead', now: aPool({ name: 'arm', machineType: 'm6g.large', diskGiB: 20 }) },
    { name: 'no pool at all', now: { nodePools: [] } },
  ])('may be to $name', async ({ now }) => {
    expect(await causes(now)).toEqual([]);
  });

  it('finds a pool again by its name, wherever it stands', async () => {
    const [workers] = aPool({ diskGiB: 50 })['nodePools'] as unknown[];
    expect(await fieldsOf({ nodePools: [{ name: 'first' }, workers] })).toEqual(['spec.nodePools[1].diskGiB']);
  });

  describe('back to smaller disks', () => {
    const FAILURE = { message: '', retryable: true };
    const back = (found: Infrastructure | undefined): Promise<unknown> =>
      fieldsOf(aPool({ diskGiB: 50 }), aPool(), found);
    const failing = (failure: Partial<Failure>, status: Infrastructure['status'] = {}): Infrastructure =>
      told(aPool(), { failure: { ...FAILURE, code: 'InvalidInput', ...failure }, ...status });
    const { status: _, ...unbegun } = told(aPool());
    const begun = { name: 'grow', digest: 'd', begunAt: '', resources: [] };

    it.each([
      { name: 'nobody has told the cloud of the larger ones', found: told(aPool({ diskGiB: 50 })) },
      { name: 'nobody has begun on the infrastructure', found: unbegun },
      { name: 'nobody has seen the infrastructure yet', found: { ...unbegun, status: { observedGeneration: 0 } } },
      { name: 'the cloud has refused the larger ones', found: failing({ field: 'spec.nodePools[0].diskGiB' }) },
      { name: 'a rule forbids what Terraform would do', found: failing({ code: 'PolicyDenied' }) },
    ])('is allowed when $name', async ({ found }) => {
      expect(await back(found)).toEqual([]);
      expect(await fieldsOf(aPool({ diskGiB: 50, machineType: 'm6g.large' }), aPool(), found)).toHaveLength(1);
    });

    it('is allowed when there is no infrastructure, or that of a former cluster', async () => {
      const former = told(aPool());
      expect(await back({ ...former, spec: { ...former.spec, clusterUid: 'former' } })).toEqual([]);
      const cluster = [aCluster(aPool({ diskGiB: 50 })), aCluster(aPool())] as const;
      expect(await machineChangeCauses(...cluster, () => Promise.resolve(undefined))).toEqual([]);
    });

    it.each([
      { name: 'nothing of the infrastructure fails, such as an add-on alone', found: told(aPool()) },
      { name: 'the first apply may be under way', found: told(aPool(), { stateSerial: undefined }) },
      {
        name: 'a rule forbids something else, and machines have as much by now',
        found: failing({ code: 'PolicyDenied' }, { appliedDisks: [{ name: 'workers', diskGiB: 60 }] }),
      },
      { name: 'something else of it fails', found: failing({ field: 'spec.nodePools[0].replicas' }) },
      { name: 'the disk of another group fails', found: failing({ field: 'spec.controlPlane.diskGiB' }) },
      {
        name: 'a plan is outdated that was begun',
        found: {
          ...failing({ code: 'PlanOutdated' }, { approvedPlan: begun }),
          spec: { ...told(aPool()).spec, approvedPlan: begun },
        },
      },
      {
        name: 'its failure is of an earlier spec',
        found: failing(
          { field: 'spec.nodePools[0].diskGiB' },
          { conditions: [{ ...ready('False'), observedGeneration: 0 }] },
        ),
      },
    ])('is refused when $name', async ({ found }) => {
      expect(await back(found)).toEqual(['spec.nodePools[0].diskGiB']);
    });
  });

  it('is none for a new cluster', async () => {
    const none = (): Promise<undefined> => Promise.resolve(undefined);
    expect(await machineChangeCauses(aCluster(aPool()), undefined, none)).toEqual([]);
  });
});
