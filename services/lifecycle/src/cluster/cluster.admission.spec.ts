import { beforeEach, describe, expect, it } from '@jest/globals';
import { SUPPORTED_KUBERNETES_VERSIONS, type Cluster } from '@crate/api';
import { toStatus } from '@crate/errors';
import type { WriteResult } from '@crate/resource-client';
import { AdmissionBench, aViolation, refusalOf } from '../testing/admission-bench.js';

let bench: AdmissionBench;
beforeEach(async () => {
  bench = await AdmissionBench.start();
});

describe('a new cluster', () => {
  it('is stored when its references lead somewhere and no rule is broken', async () => {
    expect(await bench.create()).toMatchObject({ created: true, warnings: [] });
    expect(bench.policies.requests).toMatchObject([
      { stage: 'ClusterSpec', subject: { namespace: 'team-a', name: 'demo' }, document: { kind: 'Cluster' } },
    ]);
  });

  it('is refused with a name that AWS does not take', async () => {
    const refusal = await refusalOf(bench.create({}, { name: 'sg-prod' }));
    expect(refusal).toMatchObject({ code: 'InvalidSpec', details: { causes: [{ field: 'metadata.name' }] } });
  });

  it('costs one look at its account and one review', async () => {
    await bench.create();
    await bench.create({}, { name: 'other' });
    expect([bench.lookups, bench.policies.calls]).toEqual([2, 2]);
    expect(bench.policies.requests.map(({ subject }) => subject.provider)).toEqual(['sandbox-aws', 'sandbox-aws']);
  });

  it('is refused with an account that is being deleted, and not as invalid: its document is right', async () => {
    await bench.retire('sandbox');
    const refusal = await refusalOf(bench.create());
    const field = 'spec.accountRef.name';
    const message = 'Invalid value: "sandbox": is being deleted';
    expect(refusal).toMatchObject({ code: 'Forbidden', details: { field, causes: [{ field, message }] } });
    const both = await refusalOf(bench.create({ nodePools: [{ name: 'control-plane' }] }));
    expect(both.code).toBe('InvalidSpec');
  });

  it.each([
    {
      reason: 'an unknown account, naming those there are',
      spec: { accountRef: { name: 'nobody' } },
      field: 'spec.accountRef.name',
      text: 'Invalid value: "nobody": must name a CloudAccount of the same Project; known: sandbox',
    },
    {
      reason: 'an account of another Project, as if it did not exist',
      spec: { accountRef: { name: 'theirs' } },
      field: 'spec.accountRef.name',
      text: 'known: sandbox',
    },
    {
      reason: 'a pool that takes the name of the control plane',
      spec: { nodePools: [{ name: 'a' }, { name: 'control-plane' }] },
      field: 'spec.nodePools[1].name',
      text: 'must not be "control-plane", which is taken',
    },
    {
      reason: 'a label of a pool that no node takes',
      spec: { nodePools: [{ name: 'a', labels: { 'team name': 'web' } }] },
      field: 'spec.nodePools[0].labels[team name]',
      text: 'Invalid value: "web": the key must be letters, digits',
    },
    {
      reason: 'a label of a pool with a value that is too long',
      spec: { nodePools: [{ name: 'a', labels: { team: 'w'.repeat(64) } }] },
      field: 'spec.nodePools[0].labels.team',
      text: 'at most 63',
    },
    ...['kubernetes.io/hostname', 'node-role.kubernetes.io/etcd', 'rke.cattle.io/x', 'lifecycle.crate.dev/pool'].map(
      (key) => ({
        reason: `a label of a pool that nodes are told apart by: ${key}`,
        spec: { nodePools: [{ name: 'a', labels: { [key]: 'web' } }] },
        field: `spec.nodePools[0].labels[${key}]`,
        text: `the key ${key} is not for pools`,
      }),
    ),
    {
      reason: 'a taint of a pool that is none',
      spec: { nodePools: [{ name: 'a', taints: [{ key: 'dedicated=gpu', effect: 'NoSchedule' }] }] },
      field: 'spec.nodePools[0].taints[0]',
      text: 'Invalid value: "dedicated=gpu=": the key must be',
    },
    {
      reason: 'a taint of a key and an effect that the pool has a taint of, which no node takes',
      spec: {
        nodePools: [{ name: 'a', taints: ['a', 'b'].map((value) => ({ key: 'team', value, effect: 'NoSchedule' })) }],
      },
      field: 'spec.nodePools[0].taints[1]',
      text: 'Invalid value: "team=b": a node has one taint NoSchedule of the key team',
    },
    {
      reason: 'a wrong type',
      spec: { controlPlane: { replicas: 'three' } },
      field: 'spec.controlPlane.replicas',
      text: 'Invalid value: "three": must be a number',
    },
    {
      reason: 'a bad block',
      spec: { network: { vpcCidr: '10.0.0.0' } },
      field: 'spec.network.vpcCidr',
      text: 'must be an IPv4 CIDR block',
    },
    {
      reason: 'a port of the load balancer that leads to no node port',
      spec: { network: { loadBalancerPorts: [{ port: 443, nodePort: 443 }] } },
      field: 'spec.network.loadBalancerPorts[0].nodePort',
      text: 'must be at least 30000',
    },
    {
      reason: 'the port of the API, which is taken',
      spec: { network: { loadBalancerPorts: [{ port: 6443, nodePort: 30_443 }] } },
      field: 'spec.network.loadBalancerPorts[0].port',
      text: 'must not be 6443, which is that of the API server',
    },
    {
      reason: 'an even control plane',
      spec: { controlPlane: { replicas: 4 } },
      field: 'spec.controlPlane.replicas',
      text: 'must be odd',
    },
    {
      reason: 'a version that is not supported',
      spec: { kubernetes: { version: 'v1.9.0' } },
      field: 'spec.kubernetes.version',
      text: `must be a version that rke supports: ${SUPPORTED_KUBERNETES_VERSIONS.rke.join(', ')}`,
    },
    {
      reason: 'more machines than its engine keeps the state of',
      spec: {
        nodePools: [
          { name: 'a', replicas: 100 },
          { name: 'b', replicas: 8 },
        ],
      },
      field: 'spec.nodePools',
      text: 'at most 110 machines',
    },
  ])('is refused for $reason (422)', async ({ spec, field, text }) => {
    expect(toStatus(await refusalOf(bench.create(spec)))).toMatchObject({
      ...{ code: 422, reason: 'Invalid' },
      message: expect.stringContaining('Cluster.lifecycle.crate.dev "demo" is invalid'),
      details: { causes: [{ field, message: expect.stringContaining(text) }] },
    });
    expect(await bench.exists()).toBe(false);
  });

  it('is refused for an unknown field, naming it (4xx)', async () => {
    const error = await refusalOf(bench.create({ colour: 'red' }));
    expect(toStatus(error).code).toBeGreaterThanOrEqual(400);
    expect(toStatus(error).code).toBeLessThan(500);
    expect(error.message).toContain('colour');
  });

  it('names every bad reference at once', async () => {
    const spec = {
      accountRef: { name: 'nobody' },
      addOns: [{ name: 'x' }, { name: 'y' }],
      nodePools: [{ name: 'control-plane' }],
    };
    const error = await refusalOf(bench.create(spec));
    expect(error.details.causes?.map(({ field }) => field)).toEqual([
      'spec.nodePools[0].name',
      'spec.accountRef.name',
      'spec.addOns[0].name',
      'spec.addOns[1].name',
    ]);
    for (const { field = '' } of error.details.causes ?? []) expect(error.message).toContain(field);
  });
});

describe('labels and taints of pools that were taken before', () => {
  const taints = [{ key: 'dedicated=gpu', effect: 'NoSchedule' }];
  beforeEach(() =>
    bench.createdBefore({ nodePools: [{ name: 'a', replicas: 1, labels: { 'team name': 'web' }, taints }] }),
  );

  it('stay, and are refused once they change', async () => {
    const kept = { name: 'a', labels: { 'team name': 'web', tier: 'gold' }, taints };
    await bench.merge({ spec: { nodePools: [{ ...kept, replicas: 2 }] } });

    const changed = { ...kept, labels: { 'team name': 'shop' }, taints: [{ ...taints[0], value: 'x' }] };
    const error = await refusalOf(bench.merge({ spec: { nodePools: [changed] } }));
    expect(error.details.causes?.map(({ field }) => field)).toEqual([
      'spec.nodePools[0].labels[team name]',
      'spec.nodePools[0].taints[0]',
    ]);
  });
});

describe('two taints of a key and an effect that a pool had before', () => {
  it('stay, and one more is refused also in front of them', async () => {
    const [a, b, c] = ['a', 'b', 'c'].map((value) => ({ key: 'team', value, effect: 'NoSchedule' }));
    await bench.createdBefore({ nodePools: [{ name: 'a', replicas: 1, taints: [a, b] }] });
    const pool = (...all: unknown[]): object => ({ spec: { nodePools: [{ name: 'a', replicas: 2, taints: all }] } });
    await bench.merge(pool(b, a));

    const error = await refusalOf(bench.merge(pool(c, a, b)));
    expect(error.details.causes?.map(({ field }) => field)).toEqual(['spec.nodePools[0].taints[0]']);
    await bench.merge(pool(c));
  });
});

describe('a cluster that exists', () => {
  beforeEach(async () => {
    await bench.create();
    // What is wrong with the document itself is told also where it breaks a rule besides.
    bench.policies.answer = { allowed: false, violations: [aViolation('must', 'everything')] };
  });

  it.each([
    { field: 'spec.accountRef.name', patch: { accountRef: { name: 'other' } } },
    {
      field: 'spec.kubernetes.engine',
      patch: {
        ...{ accountRef: null, region: null, nodePools: [] },
        kubernetes: { engine: 'existing', version: null },
      },
    },
    { field: 'spec.region', patch: { region: 'eu-central-1' } },
    { field: 'spec.network.vpcCidr', patch: { network: { vpcCidr: '10.30.0.0/16' } } },
    { field: 'spec.network.podCidr', patch: { network: { podCidr: '10.50.0.0/16' } } },
    { field: 'spec.network.serviceCidr', patch: { network: { serviceCidr: '10.51.0.0/16' } } },
    { field: 'spec.network.availabilityZones', patch: { network: { availabilityZones: 1 } } },
  ])('keeps $field as it is', async ({ field, patch }) => {
    const error = await refusalOf(bench.merge({ spec: patch }));
    expect(error.code).toBe('InvalidSpec');
    expect(error.details.causes?.find((cause) => cause.field === field)?.message).toMatch(/is immutable, it was /);
  });

  it('keeps the processor architecture of its machines', async () => {
    const nodePools = [{ name: 'workers', replicas: 2, machineType: 'm6g.xlarge' }];
    const error = await refusalOf(bench.merge({ spec: { nodePools } }));
    expect(error.details.causes).toMatchObject([{ field: 'spec.nodePools[0].machineType' }]);
  });

  it('may ask for ports of its load balancer, and for none again', async () => {
    bench.policies.answer = { allowed: true, violations: [] };
    const loadBalancerPorts = [{ port: 443, nodePort: 30_443 }];
    const portsOf = ({ object }: WriteResult): unknown => (object as Cluster).spec.network?.loadBalancerPorts;
    expect(portsOf(await bench.merge({ spec: { network: { loadBalancerPorts } } }))).toEqual(loadBalancerPorts);
    expect(portsOf(await bench.merge({ spec: { network: { loadBalancerPorts: null } } }))).toBeUndefined();
  });

  it('is told that they lead nowhere where it has no worker, and stored', async () => {
    bench.policies.answer = { allowed: true, violations: [] };
    const network = { loadBalancerPorts: [{ port: 443, nodePort: 30_443 }] };
    const { warnings, object } = await bench.merge({ spec: { network, nodePools: [] } });
    expect(warnings).toEqual([expect.stringContaining('spec.network.loadBalancerPorts: lead to workers alone')]);
    expect((object as Cluster).spec.nodePools).toEqual([]);
  });

  it('may not have them exchange their node ports in one change', async () => {
    bench.policies.answer = { allowed: true, violations: [] };
    const lead = (http: number, https: number): Promise<WriteResult> => {
      const loadBalancerPorts = [
        { port: 80, nodePort: http },
        { port: 443, nodePort: https },
      ];
      return bench.merge({ spec: { network: { loadBalancerPorts } } });
    };
    await lead(30_080, 30_443);
    await expect(lead(30_443, 30_080)).rejects.toMatchObject({ code: 'InvalidSpec' });
  });
});
