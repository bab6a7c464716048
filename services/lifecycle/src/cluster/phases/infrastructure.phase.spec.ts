import {
  conditionFalse,
  conditionTrue,
  conditionUnknown,
  mergeConditions,
  type ConditionFact,
  type Failure,
} from '@crate/api';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { InMemoryPlatform } from '../../testing/in-memory-platform.js';

const FAILURE: Failure = { code: 'EngineFailed', message: 'No', retryable: true };
const IN_PROGRESS = conditionUnknown('Synced', 'InProgress', '');

let platform: InMemoryPlatform;
beforeEach(async () => {
  platform = new InMemoryPlatform();
  await platform.start({});
  for (let turn = 0; turn < 4; turn += 1) {
    await platform.pass();
    await platform.settleChildren();
  }
});

async function change(pool: object): Promise<void> {
  const nodePools = [{ name: 'workers', replicas: 2, machineType: 'm5.xlarge', ...pool }];
  await platform.clusters.merge('demo', 'team-a', { spec: { nodePools } });
}

/** What cluster-mgmt says of the engine. */
async function tell(synced: ConditionFact, failure?: Failure): Promise<void> {
  const found = (await platform.kubernetesClusters.find('demo', 'team-a'))!;
  const facts = [conditionFalse('Ready', 'InProgress', ''), synced];
  const about = { generation: found.metadata.generation, now: new Date() };
  const conditions = mergeConditions(found.status?.conditions, facts, about);
  await platform.kubernetesClusters.saveStatus(found, { ...found.status, conditions, ...(failure ? { failure } : {}) });
}

async function workers(): Promise<object | undefined> {
  const found = await platform.infrastructures.find('demo', 'team-a');
  return found?.spec.machineGroups.find(({ name }) => name === 'workers');
}

describe('machines that are to have another type', () => {
  it('are not stopped while the engine works on them', async () => {
    await tell(IN_PROGRESS);
    await change({ machineType: 'm5.2xlarge' });
    expect(await platform.pass()).toMatchObject({ reason: 'WaitingForKubernetes' });
    expect(await workers()).toMatchObject({ machineType: 'm5.xlarge' });

    await platform.settleChildren();
    expect(await platform.pass()).toMatchObject({ reason: 'WaitingForInfrastructure' });
    expect(await workers()).toMatchObject({ machineType: 'm5.2xlarge' });
  });

  it('are not stopped before the engine has begun what it was told', async () => {
    await platform.clusters.merge('demo', 'team-a', { spec: { kubernetes: { version: 'v1.31.8' } } });
    expect(await platform.pass()).toMatchObject({ reason: 'WaitingForKubernetes' });
    await change({ machineType: 'm5.2xlarge' });
    await platform.pass();
    expect(await workers()).toMatchObject({ machineType: 'm5.xlarge' });
  });

  it.each([
    { reason: 'a run that failed', synced: conditionFalse('Synced', 'ReconcileError', 'No'), failure: FAILURE },
    { reason: 'nodes that are not ready', synced: conditionTrue('Synced', 'ReconcileSuccess') },
  ])('do not wait for $reason: it may be what mends that', async ({ synced, failure }) => {
    await tell(synced, failure);
    await change({ machineType: 'm5.2xlarge' });
    await platform.pass();
    expect(await workers()).toMatchObject({ machineType: 'm5.2xlarge' });
  });
});

it('machines of which there are to be more do not wait for the engine', async () => {
  await tell(IN_PROGRESS);
  await change({ replicas: 4 });
  await platform.pass();
  expect(await workers()).toMatchObject({ replicas: 4 });
});

it('another type of a pool that has no machines does not wait for the engine: nothing is stopped for it', async () => {
  await change({ replicas: 0 });
  for (let turn = 0; turn < 4; turn += 1) {
    await platform.pass();
    await platform.settleChildren();
  }
  expect(await workers()).toMatchObject({ replicas: 0 });
  await tell(IN_PROGRESS);
  await change({ replicas: 2, machineType: 'm5.2xlarge' });
  await platform.pass();
  expect(await workers()).toMatchObject({ replicas: 2, machineType: 'm5.2xlarge' });
});
