import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  CHECK_DRIFT_ANNOTATION,
  conditionFalse,
  conditionTrue,
  findCondition,
  mergeConditions,
  RESOLVE_DRIFT_ANNOTATION,
  type Cluster,
  type ConditionFact,
  type DriftStatus,
  type Infrastructure,
  type ResourceDrift,
} from '@crate/api';
import { toStatus } from '@crate/errors';
import { aCluster, anInfrastructure } from '../testing/a-cluster.js';
import { InMemoryPlatform } from '../testing/in-memory-platform.js';
import { decisionRefusal, driftAdmission } from './cluster.drift.admission.js';
import { clusterDrift, driftFact } from './cluster.drift.js';

const DIGEST = '0123456789ab';
const CHANGED: ResourceDrift = { address: 'aws_vpc.vpc', type: 'aws_vpc', kind: 'changed', attributes: [] };
const MISSING: ResourceDrift = { ...CHANGED, kind: 'missing' };
const drift = (...resources: DriftStatus['resources']): DriftStatus => ({
  since: '2026-11-21T10:00:00Z',
  digest: DIGEST,
  resources,
  omitted: 0,
});

function told(...facts: ConditionFact[]): Infrastructure {
  const infrastructure = anInfrastructure();
  const conditions = mergeConditions([], facts, { generation: 1, now: new Date(0) });
  return { ...infrastructure, status: { ...infrastructure.status, conditions: [...conditions] } };
}

function drifted(status: DriftStatus | undefined, value?: string): Cluster {
  const cluster = aCluster();
  const annotations = value === undefined ? {} : { [RESOLVE_DRIFT_ANNOTATION]: value };
  return {
    ...cluster,
    metadata: { ...cluster.metadata, annotations },
    status: { ...cluster.status, ...(status ? { drift: status } : {}) },
  };
}

describe('driftFact', () => {
  it.each([
    { name: 'nobody looked', infrastructure: told(), want: { status: 'Unknown', reason: 'NotChecked' } },
    {
      name: 'nothing differs',
      infrastructure: told(conditionTrue('InSync', 'InSync')),
      want: { status: 'True', reason: 'InSync' },
    },
    {
      name: 'something differs',
      infrastructure: told(
        conditionFalse('InSync', 'Drifted', '1 resource differs'),
        conditionFalse('OnHold', 'NotHeld', ''),
      ),
      want: { status: 'False', reason: 'Drifted', message: '1 resource differs' },
    },
    {
      name: 'changes wait for a decision',
      infrastructure: told(conditionFalse('InSync', 'Drifted', 'x'), conditionTrue('OnHold', 'Drifted', 'Decide')),
      want: { status: 'False', reason: 'OnHold', message: 'Decide' },
    },
    {
      name: 'what a release changes waits for a person',
      infrastructure: told(conditionTrue('InSync', 'InSync'), conditionTrue('OnHold', 'ReleaseHeld', 'Plan')),
      want: { status: 'False', reason: 'ReleaseHeld', message: 'Plan' },
    },
    {
      name: 'what a run would do that nobody asked for waits for a person',
      infrastructure: told(conditionTrue('InSync', 'InSync'), conditionTrue('OnHold', 'RunHeld', 'Plan')),
      want: { status: 'False', reason: 'RunHeld', message: 'Plan' },
    },
  ])('says that $name', ({ infrastructure, want }) => {
    expect(driftFact(infrastructure)).toMatchObject({ type: 'InSync', ...want });
  });

  it('knows nothing without an infrastructure', () => {
    expect(driftFact(undefined)).toBeUndefined();
  });
});

describe('decisionRefusal', () => {
  it.each([
    { name: 'puts back what was seen', value: `correct-${DIGEST}`, is: drift(CHANGED, MISSING) },
    { name: 'keeps what was seen', value: `keep-${DIGEST}`, is: drift(CHANGED, MISSING) },
    { name: 'puts back what is missing', value: `correct-${DIGEST}`, is: drift(MISSING) },
  ])('$name', ({ value, is }) => {
    expect(decisionRefusal(drifted(is), value)).toBeUndefined();
  });

  it('refuses what is none, as a document that is wrong by itself', () => {
    expect(decisionRefusal(drifted(drift(CHANGED)), 'yes')).toMatchObject({
      code: 'InvalidSpec',
      message: expect.stringContaining('must be correct-DIGEST or keep-DIGEST'),
      details: { field: `metadata.annotations[${RESOLVE_DRIFT_ANNOTATION}]` },
    });
  });

  it.each([
    { name: 'is about another drift', value: 'keep-ba9876543210', is: drift(CHANGED), want: DIGEST },
    { name: 'is about nothing', value: `keep-${DIGEST}`, is: undefined, want: 'nothing differs' },
    { name: 'keeps what is missing', value: `keep-${DIGEST}`, is: drift(MISSING), want: 'it can only be put back' },
  ])('refuses what $name, and not as invalid: whoever forces would delete the cluster', ({ value, is, want }) => {
    const refusal = decisionRefusal(drifted(is), value);
    expect(refusal).toMatchObject({
      code: 'Forbidden',
      message: expect.stringContaining(want),
      details: { reason: 'NoSuchDrift', field: `metadata.annotations[${RESOLVE_DRIFT_ANNOTATION}]` },
    });
    expect(toStatus(refusal).details?.causes).toContainEqual(expect.objectContaining({ reason: 'NoSuchDrift' }));
  });
});

describe('driftAdmission', () => {
  const context = { caller: { user: 'ada', groups: [] }, traceId: 't' };
  const judge = (object: Cluster, oldObject: Cluster): Promise<unknown> =>
    driftAdmission({ operation: 'UPDATE', object, oldObject, context, dryRun: false });

  it('judges a decision when it is made, and not for as long as it stands', async () => {
    const stale = `keep-${DIGEST}`;
    await expect(judge(drifted(undefined, stale), drifted(undefined))).rejects.toMatchObject({ code: 'Forbidden' });
    await expect(judge(drifted(undefined, stale), drifted(undefined, stale))).resolves.toBeUndefined();
    await expect(judge(drifted(undefined), drifted(undefined, stale))).resolves.toBeUndefined();
  });
});

describe('a cluster whose infrastructure drifted', () => {
  let platform: InMemoryPlatform;
  beforeEach(async () => {
    platform = new InMemoryPlatform();
    await platform.start({});
    for (let pass = 0; pass < 4; pass++) {
      await platform.pass();
      await platform.settleChildren();
    }
  });

  it('shows what differs, and hands on what people ask', async () => {
    const infrastructure = (await platform.infrastructures.find('demo', 'team-a'))!;
    await platform.infrastructures.saveStatus(infrastructure, {
      ...told(conditionTrue('Ready', 'Ready'), conditionFalse('InSync', 'Drifted', '1 resource differs')).status,
      outputs: infrastructure.status?.outputs,
      drift: drift(CHANGED),
    });
    const annotations = { [CHECK_DRIFT_ANNOTATION]: 'now', [RESOLVE_DRIFT_ANNOTATION]: `correct-${DIGEST}`, mine: 'x' };
    await platform.clusters.merge('demo', 'team-a', { metadata: { annotations } });
    await platform.pass();

    const cluster = await platform.clusters.find('demo', 'team-a');
    expect(cluster?.status?.drift).toEqual(drift(CHANGED));
    expect(findCondition(cluster?.status?.conditions, 'InSync')).toMatchObject({ status: 'False', reason: 'Drifted' });
    expect((await platform.infrastructures.find('demo', 'team-a'))?.metadata.annotations).toEqual({
      [CHECK_DRIFT_ANNOTATION]: 'now',
      [RESOLVE_DRIFT_ANNOTATION]: `correct-${DIGEST}`,
    });
    const { resourceVersion } = cluster!.metadata;
    await platform.pass();
    expect((await platform.clusters.find('demo', 'team-a'))?.metadata.resourceVersion).toBe(resourceVersion);
  });

  it('has no report before there is anything to compare', async () => {
    const read = clusterDrift(platform.api);
    const context = { caller: { user: 'ada', groups: [] }, traceId: 't' };
    await expect(
      read({ ...aCluster(), metadata: { ...aCluster().metadata, name: 'other' } }, {} as never, context),
    ).rejects.toMatchObject({ code: 'NotFound' });
  });
});
