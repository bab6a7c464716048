import { describe, expect, it } from '@jest/globals';
import { CLUSTER, type Cluster } from './cluster.js';

/** The document of the quickstart, as a person writes it. */
const QUICKSTART = {
  accountRef: { name: 'sandbox' },
  region: 'us-east-1',
  kubernetes: { engine: 'rke', version: 'v1.31.4' },
  network: { vpcCidr: '10.20.0.0/16', availabilityZones: 3 },
  controlPlane: { replicas: 3, machineType: 'm5.large' },
  nodePools: [{ name: 'workers', replicas: 2, machineType: 'm5.xlarge' }],
  addOns: [{ name: 'docs' }],
};

const LEADING = (...pairs: readonly (readonly number[])[]): readonly object[] =>
  pairs.map(([port, nodePort]) => ({ port, nodePort }));

function issuesOf(spec: unknown): readonly string[] {
  const { error } = CLUSTER.body.safeParse({ spec });
  return (error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`);
}

describe('Cluster', () => {
  it('takes the quickstart, and fills in what it does not say', () => {
    expect(CLUSTER.body.parse({ spec: QUICKSTART })).toEqual({
      spec: {
        ...QUICKSTART,
        network: { ...QUICKSTART.network, podCidr: '10.42.0.0/16', serviceCidr: '10.43.0.0/16' },
        drift: { policy: 'observe', everyMinutes: 60 },
        controlPlane: { ...QUICKSTART.controlPlane, diskGiB: 50 },
        nodePools: [{ ...QUICKSTART.nodePools[0], diskGiB: 50 }],
        paused: false,
      },
    });
  });

  it('needs an account, a region and a version, nothing else', () => {
    expect(issuesOf({}).map((issue) => issue.split(':')[0])).toEqual([
      'spec.kubernetes',
      'spec.accountRef',
      'spec.region',
    ]);
    const least = { accountRef: { name: 'a' }, region: 'eu-central-1', kubernetes: { version: 'v1.31.4' } };
    const { spec } = CLUSTER.body.parse({ spec: least }) as { spec: Cluster['spec'] };
    expect(spec).toMatchObject({
      kubernetes: { engine: 'rke' },
      network: { vpcCidr: '10.20.0.0/16', availabilityZones: 3 },
      controlPlane: { replicas: 3, machineType: 'm5.large' },
      nodePools: [],
      addOns: [],
    });
  });

  it.each(['m5.large', 'm7i-flex.8xlarge', 'm7i.metal-24xl', 'u-6tb1.56xlarge'])(
    'takes machines of %s',
    (machineType) => {
      expect(issuesOf({ ...QUICKSTART, nodePools: [{ name: 'workers', machineType }] })).toEqual([]);
    },
  );

  it('keeps a version that has left the list: what it may be changed to is for admission', () => {
    expect(issuesOf({ ...QUICKSTART, kubernetes: { version: 'v1.19.0' } })).toEqual([]);
  });

  it('keeps ports of the load balancer as they are said, and has none by default', () => {
    const loadBalancerPorts = LEADING([443, 30_443], [65_535, 32_767], [1, 30_000]);
    const { spec } = CLUSTER.body.parse({ spec: { ...QUICKSTART, network: { loadBalancerPorts } } }) as Cluster;
    expect(spec.network).toMatchObject({ loadBalancerPorts, vpcCidr: '10.20.0.0/16' });
    expect(Object.keys((CLUSTER.body.parse({ spec: QUICKSTART }) as Cluster).spec.network ?? {})).not.toContain(
      'loadBalancerPorts',
    );
  });

  it.each([
    { reason: 'a wrong type', spec: { controlPlane: { replicas: 'three' } }, field: 'spec.controlPlane.replicas' },
    { reason: 'a fraction', spec: { controlPlane: { replicas: 1.5 } }, field: 'spec.controlPlane.replicas' },
    {
      reason: 'an even control plane',
      spec: { controlPlane: { replicas: 2 } },
      field: 'spec.controlPlane.replicas: must be odd, so that etcd keeps a majority',
    },
    { reason: 'no control plane', spec: { controlPlane: { replicas: 0 } }, field: 'spec.controlPlane.replicas' },
    { reason: 'an unknown field', spec: { colour: 'red' }, field: 'spec: Unrecognized key: "colour"' },
    {
      reason: 'an unknown field further down',
      spec: { network: { vpcCIDR: '10.0.0.0/16' } },
      field: 'spec.network: Unrecognized key: "vpcCIDR"',
    },
    {
      reason: 'a bad block',
      spec: { network: { vpcCidr: '10.20.0.0' } },
      field: 'spec.network.vpcCidr: must be an IPv4 CIDR block',
    },
    {
      reason: 'a block with host bits',
      spec: { network: { vpcCidr: '10.20.1.0/16' } },
      field: 'spec.network.vpcCidr: must be an IPv4 CIDR block with its host bits zero',
    },
    {
      reason: 'a block too small for three zones',
      spec: { network: { vpcCidr: '10.20.0.0/24' } },
      field: 'spec.network.vpcCidr: must have a prefix from /16 to /22',
    },
    {
      reason: 'overlapping blocks',
      spec: { network: { vpcCidr: '10.42.0.0/16' } },
      field: 'spec.network.podCidr: must not overlap vpcCidr 10.42.0.0/16',
    },
    {
      reason: 'overlapping blocks inside the cluster',
      spec: { network: { podCidr: '10.42.0.0/15' } },
      field: 'spec.network.serviceCidr: must not overlap podCidr 10.42.0.0/15',
    },
    {
      reason: 'the port of the API for something else',
      spec: { network: { loadBalancerPorts: [{ port: 6443, nodePort: 30_443 }] } },
      field: 'spec.network.loadBalancerPorts.0.port: must not be 6443',
    },
    {
      reason: 'a port that there is none of',
      spec: { network: { loadBalancerPorts: [{ port: 65_536, nodePort: 30_443 }] } },
      field: 'spec.network.loadBalancerPorts.0.port: ',
    },
    {
      reason: 'a node port below those of Kubernetes',
      spec: { network: { loadBalancerPorts: [{ port: 443, nodePort: 29_999 }] } },
      field: 'spec.network.loadBalancerPorts.0.nodePort: ',
    },
    {
      reason: 'a node port above those of Kubernetes',
      spec: { network: { loadBalancerPorts: [{ port: 443, nodePort: 32_768 }] } },
      field: 'spec.network.loadBalancerPorts.0.nodePort: ',
    },
    {
      reason: 'one port that leads to two places',
      spec: { network: { loadBalancerPorts: LEADING([443, 30_443], [443, 30_444]) } },
      field: 'spec.network.loadBalancerPorts.1.port: must be unique, 443 stands twice',
    },
    {
      reason: 'two ports that lead to one place',
      spec: { network: { loadBalancerPorts: LEADING([443, 30_443], [80, 30_080], [8443, 30_443]) } },
      field: 'spec.network.loadBalancerPorts.2.nodePort: must be unique, 30443 stands twice',
    },
    {
      reason: 'more ports than the rules of a security group',
      spec: { network: { loadBalancerPorts: LEADING(...Array.from({ length: 11 }, (_, i) => [i + 1, 30_000 + i])) } },
      field: 'spec.network.loadBalancerPorts: ',
    },
    {
      reason: 'an engine that does not exist',
      spec: { kubernetes: { engine: 'kubeadm', version: 'v1.31.4' } },
      field: 'spec.kubernetes.engine',
    },
    {
      reason: 'two pools of one name',
      spec: { nodePools: [{ name: 'a' }, { name: 'b' }, { name: 'a' }] },
      field: 'spec.nodePools.2.name: must be unique, "a" stands twice',
    },
    {
      reason: 'two add-ons of one name',
      spec: { addOns: [{ name: 'docs' }, { name: 'docs' }] },
      field: 'spec.addOns.1.name: must be unique',
    },
    {
      reason: 'a bad pool name',
      spec: { nodePools: [{ name: 'My Pool' }] },
      field: 'spec.nodePools.0.name: must be a DNS',
    },
    {
      reason: 'a negative pool',
      spec: { nodePools: [{ name: 'a', replicas: -1 }] },
      field: 'spec.nodePools.0.replicas',
    },
    { reason: 'a bad region', spec: { region: 'Frankfurt' }, field: 'spec.region: must be a region' },
    {
      reason: 'a bad machine type',
      spec: { controlPlane: { machineType: 'huge' } },
      field: 'spec.controlPlane.machineType: must be a machine type',
    },
    {
      reason: 'an effect of a taint that does not exist',
      spec: { nodePools: [{ name: 'a', taints: [{ key: 'gpu', effect: 'Never' }] }] },
      field: 'spec.nodePools.0.taints.0.effect',
    },
  ])('refuses $reason at its field', ({ spec, field }) => {
    const issues = issuesOf({ ...QUICKSTART, ...spec });
    expect(issues).toHaveLength(1);
    expect(issues[0]).toMatch(new RegExp(`^${field.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')}`));
  });

  it('names every bad field at once', () => {
    const issues = issuesOf({
      ...QUICKSTART,
      region: 7,
      network: { vpcCidr: 'x' },
      controlPlane: { replicas: 4 },
      extra: true,
    });
    expect(issues.map((issue) => issue.split(':')[0]).sort()).toEqual([
      'spec',
      'spec.controlPlane.replicas',
      'spec.network.vpcCidr',
      'spec.region',
    ]);
  });
});
