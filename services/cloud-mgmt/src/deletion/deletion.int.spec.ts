import {
  DELETION_RECORD,
  FORCE_ANNOTATION,
  FORCED_ANNOTATION,
  isConditionTrue,
  REMOVE_VOLUMES_ANNOTATION,
  type DeletionRecord,
  type Infrastructure,
} from '@crate/api';
import type { ServiceHost } from '@crate/service-host';
import { eventually } from '@crate/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { aSpec } from '../testing/a-spec.js';
import { ACCOUNT, NAMESPACE, TestCloud } from '../testing/test-cloud.js';
import { deletionRecordName } from './deletion-records.js';

const MANAGER = 'test';
const PATIENCE = { timeoutMs: 180_000 };
const SERVICE = { uid: '0f1d7c1e-5b43-4b8e-9c55-6a3a2f1d9c01', namespace: 'shop', service: 'web' };
jest.setTimeout(600_000);

let cloud: TestCloud;
let service: ServiceHost;

beforeAll(async () => {
  cloud = await TestCloud.start();
  service = await cloud.startService();
  const spec = { provider: 'sandbox-aws', accountId: ACCOUNT };
  await cloud.accounts(service).ensure({ metadata: { name: 'sandbox', namespace: NAMESPACE }, spec }, MANAGER);
});
afterAll(async () => cloud.stop());
afterEach(async () => {
  for (const { name } of cloud.sandbox.cloud.faults.list()) await cloud.sandbox.cloud.faults.remove(name);
});

const find = (name: string): Promise<Infrastructure | undefined> =>
  cloud.infrastructures(service).find(name, NAMESPACE);

async function bringUp(name: string): Promise<Infrastructure> {
  const infrastructures = cloud.infrastructures(service);
  await infrastructures.ensure({ metadata: { name, namespace: NAMESPACE }, spec: aSpec(name) }, MANAGER);
  return eventually(async () => {
    const found = await find(name);
    expect(isConditionTrue(found?.status?.conditions, 'Ready', found?.metadata.generation)).toBe(true);
    return found!;
  }, PATIENCE);
}

async function recordOf(infrastructure: Infrastructure): Promise<DeletionRecord> {
  const record = await service.foundation.clients
    .for(DELETION_RECORD)
    .find(deletionRecordName(infrastructure), NAMESPACE);
  if (!record) throw new Error('There is no record');
  return record;
}

/** What the controllers in the cluster do while it runs: the load balancer is let in to its machines, too. */
async function actAsCluster({ status }: Infrastructure): Promise<void> {
  const machine = status!.outputs!.machines[0]!.instanceId;
  const ports = [{ port: 80, nodePort: 30_080, protocol: 'TCP' }];
  await cloud.sandbox.cloud.clusterCloud.ensureLoadBalancer(machine, { ...SERVICE, ports });
  const volume = { name: 'pvc-1', namespace: 'shop', claim: 'data', sizeGiB: 8 };
  await cloud.sandbox.cloud.clusterCloud.ensureVolume(machine, volume);
  await cloud.sandbox.cloud.calls.create(
    { account: ACCOUNT, region: 'us-east-1' },
    'aws_vpc_security_group_ingress_rule',
    {
      security_group_id: groupId(/-worker$/),
      referenced_security_group_id: groupId(/^k8s-elb-/),
      ip_protocol: '-1',
    },
  );
}

function groupId(named: RegExp): string {
  const groups = cloud.sandbox.cloud.inventory.list({ type: 'aws_security_group' });
  return groups.find(({ attributes: { name } }) => typeof name === 'string' && named.test(name))!.id;
}

describe('the deletion of an Infrastructure', () => {
  it('removes what an unreachable cluster left at the provider, volumes once they are named, and proves the end', async () => {
    const created = await bringUp('left');
    await actAsCluster(created);
    expect(cloud.inventory('aws_lb')).toHaveLength(2);
    await cloud.sandbox.cloud.faults.put('slow', { kind: 'slow-deletion', type: 'aws_lb', delayMs: 1000 });

    await cloud.infrastructures(service).remove('left', NAMESPACE);
    const [volume = ''] = cloud.inventory('aws_ebs_volume');
    await eventually(async () => {
      expect((await find('left'))?.status?.deletion?.blockers).toMatchObject([{ reason: 'VolumeUndecided' }]);
    }, PATIENCE);
    // Of everything else that costs money nothing is left meanwhile.
    expect(cloud.inventory()).toEqual([volume]);
    const id = cloud.sandbox.cloud.inventory.list({ type: 'aws_ebs_volume' })[0]!.id;
    const annotations = { [REMOVE_VOLUMES_ANNOTATION]: id };
    await cloud.infrastructures(service).merge('left', NAMESPACE, { metadata: { annotations } });
    await eventually(async () => expect(await find('left')).toBeUndefined(), PATIENCE);
    expect(cloud.inventory()).toEqual([]);
    const { spec } = await recordOf(created);
    expect(spec.proof).toMatchObject({ abandoned: [] });
    expect(Date.parse(spec.proof.inventoryEmptyAt ?? '')).toBeGreaterThanOrEqual(Date.parse(spec.requestedAt));
    expect(spec).toMatchObject({ provider: 'sandbox-aws', account: { id: ACCOUNT }, cluster: { name: 'left' } });
  });

  it('names what holds it up, gives up only when told to, and watches what it left behind', async () => {
    const created = await bringUp('held');
    const { vpcId } = created.status!.outputs!;
    const foreign = await cloud.sandbox.cloud.calls.create(
      { account: ACCOUNT, region: 'us-east-1' },
      'aws_security_group',
      { name: 'by-hand', vpc_id: vpcId },
    );
    await cloud.infrastructures(service).remove('held', NAMESPACE);
    const held = await eventually(async () => {
      const found = await find('held');
      expect(found?.status?.deletion?.blockers).toContainEqual(
        expect.objectContaining({ kind: 'aws_security_group', name: foreign['id'], reason: 'ForeignResource' }),
      );
      return found!;
    }, PATIENCE);
    expect(held.status?.deletion?.blockers).toEqual(
      expect.arrayContaining([expect.objectContaining({ kind: 'aws_vpc', name: vpcId, reason: 'StillInUse' })]),
    );
    expect(cloud.inventory('aws_instance')).toEqual([]);

    const annotations = {
      [FORCE_ANNOTATION]: 'the account is closed',
      [FORCED_ANNOTATION]: '2026-01-31T12:00:00Z ada',
    };
    await cloud.infrastructures(service).merge('held', NAMESPACE, { metadata: { annotations } });
    await eventually(async () => expect(await find('held')).toBeUndefined(), PATIENCE);
    const { spec } = await recordOf(created);
    expect(spec.forced).toEqual({ by: 'ada', reason: 'the account is closed', at: '2026-01-31T12:00:00Z' });
    expect(spec.proof.inventoryEmptyAt).toBeUndefined();
    expect(spec.proof.abandoned).toEqual([{ kind: 'aws_vpc', name: vpcId, account: ACCOUNT, region: 'us-east-1' }]);
    await eventually(async () => expect((await recordOf(created)).status?.present).toBe(1), PATIENCE);

    const { inventory, aws } = cloud.sandbox.cloud;
    await aws.remove(inventory.list({ type: 'aws_security_group' }).find(({ id }) => id === foreign['id'])!);
    await aws.remove(inventory.list({ type: 'aws_vpc' })[0]!);
    const key = { namespace: NAMESPACE, name: deletionRecordName(created) };
    await service.foundation.queue.enqueue('deletion-record', [key]);
    await eventually(async () => {
      expect((await recordOf(created)).status).toMatchObject({ present: 0, watched: [{ name: vpcId, state: 'Gone' }] });
    }, PATIENCE);
    expect(cloud.inventory()).toEqual([]);
  });
});
