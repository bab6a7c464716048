import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { aCloud, aMachine, aMachineConfig, SCOPE, type TestCloud } from '../testing/a-cloud.js';
import type { Values } from '../terraform/value.js';

const UID = '0f1d7c1e-5b43-4b8e-9c55-6a3a2f1d9c01';
const OWNED = { 'kubernetes.io/cluster/demo-1234': 'owned' };
const SERVICE = {
  uid: UID,
  namespace: 'shop',
  service: 'web',
  ports: [{ port: 80, nodePort: 30_080, protocol: 'TCP' }],
};
const CLAIM = { name: 'pvc-1', namespace: 'shop', claim: 'data', sizeGiB: 8 };

describe('the cloud of a cluster', () => {
  let test: TestCloud;
  let around: Record<'vpc' | 'subnet' | 'group' | 'keyPair', Values>;
  let machineId: string;
  beforeEach(async () => {
    test = await aCloud();
    around = await aMachine(test);
    const machine = await test.create('aws_instance', aMachineConfig(around, { tags: OWNED }));
    machineId = machine['id'] as string;
  });
  afterEach(() => test.close());

  const controllers = (): TestCloud['cloud']['clusterCloud'] => test.cloud.clusterCloud;
  const owned = (): string[] =>
    test.cloud.inventory
      .list({ tags: OWNED })
      .filter(({ id }) => id !== machineId)
      .map(({ type }) => type);

  it('makes one load balancer of a Service, tagged as the cloud provider does, however often it is asked', async () => {
    const address = await controllers().ensureLoadBalancer(machineId, SERVICE);
    expect(await controllers().ensureLoadBalancer(machineId, SERVICE)).toBe(address);

    expect(owned()).toEqual(['aws_security_group', 'aws_lb', 'aws_lb_target_group', 'aws_lb_listener']);
    const [balancer] = test.cloud.inventory.list({ type: 'aws_lb' });
    expect(balancer?.tags).toEqual({ ...OWNED, 'kubernetes.io/service-name': 'shop/web' });
    expect(balancer?.attributes).toMatchObject({ name: 'a0f1d7c1e5b434b8e9c556a3a2f1d9c0', dns_name: address });
  });

  it('lets the network go only after the load balancer', async () => {
    await controllers().ensureLoadBalancer(machineId, SERVICE);
    const [group] = test.cloud.inventory.list({ type: 'aws_security_group', tags: OWNED });
    await expect(test.delete('aws_security_group', group!.id)).rejects.toThrow('DependencyViolation');
    await expect(test.delete('aws_vpc', around.vpc['id'] as string)).rejects.toThrow('DependencyViolation');

    await controllers().removeLoadBalancer(machineId, UID);
    await controllers().removeLoadBalancer(machineId, UID);
    expect(owned()).toEqual([]);
  });

  it('makes one volume of a claim and takes it away', async () => {
    const id = await controllers().ensureVolume(machineId, CLAIM);
    expect(await controllers().ensureVolume(machineId, CLAIM)).toBe(id);
    const [volume] = test.cloud.inventory.list({ type: 'aws_ebs_volume' });
    expect(volume).toMatchObject({ id, tags: { ...OWNED, CSIVolumeName: 'pvc-1' }, attributes: { size: 8 } });

    await controllers().removeVolume(machineId, id!);
    await controllers().removeVolume(machineId, id!);
    expect(owned()).toEqual([]);
  });

  it('does nothing for a machine that does not say which cluster it belongs to', async () => {
    const bare = await test.create('aws_instance', aMachineConfig(around));
    expect(await controllers().ensureLoadBalancer(bare['id'] as string, SERVICE)).toBeUndefined();
    expect(await controllers().ensureVolume(bare['id'] as string, CLAIM)).toBeUndefined();
    expect(owned()).toEqual([]);
  });

  it('takes its time where objects go slowly', async () => {
    const id = await controllers().ensureVolume(machineId, CLAIM);
    await test.cloud.faults.put('slow', { kind: 'slow-deletion', type: 'aws_ebs_volume', delayMs: 100 });
    const begun = performance.now();
    await controllers().removeVolume(machineId, id!);
    expect(performance.now() - begun).toBeGreaterThan(90);
    expect(test.cloud.inventory.find(SCOPE, 'aws_ebs_volume', id!)).toBeUndefined();
  });
});
