import { describe, expect, it } from '@jest/globals';
import { aCluster, aCondition } from '../testing/a-cluster.js';
import { clusterTree, type ClusterParts } from './cluster-tree.js';
import { rootCause, stateOf } from './tree-node.js';

const ready = { conditions: [aCondition('Ready', 'True')] };
const part = (name: string, spec: object, status: object): never => ({ metadata: { name }, spec, status }) as never;

const healthy = (): ClusterParts => ({
  cluster: aCluster(),
  infrastructure: part(
    'demo',
    {},
    {
      ...ready,
      outputs: {
        vpcId: 'vpc-1',
        apiHost: 'api.example',
        bastionHost: '198.51.100.4',
        machines: [{ name: 'demo-workers-0', instanceId: 'i-1', zone: 'us-east-1a' }],
      },
    },
  ),
  kubernetes: part(
    'demo',
    { nodes: [{ name: 'demo-workers-0' }] },
    { ...ready, nodes: [{ name: 'demo-workers-0', role: 'worker', ready: true, version: 'v1.31.4' }] },
  ),
  installations: [part('demo-docs', {}, { ...ready, inventory: [{ kind: 'Service', name: 'docs', namespace: 'a' }] })],
});

const wayOf = (parts: ClusterParts): readonly string[] => rootCause(clusterTree(parts)).map(({ id }) => id);

describe('the tree of a cluster', () => {
  it('has all that the cluster owns, and no cause while all is well', () => {
    const tree = clusterTree(healthy());
    expect(stateOf(tree)).toBe('ok');
    expect(rootCause(tree)).toEqual([]);
    expect(tree.children.map(({ id, children }) => [id, children.map((child) => child.id)])).toEqual([
      [
        'Infrastructure/demo',
        [
          'Network/vpc-1',
          'LoadBalancer/api.example',
          'Bastion/198.51.100.4',
          'Machine/demo-workers-0 (i-1, us-east-1a)',
        ],
      ],
      ['KubernetesCluster/demo', ['Node/demo-workers-0']],
      ['AddOnInstallation/demo-docs', ['Service/a/docs']],
    ]);
  });

  it('names the node that is lost, not what waits for it', () => {
    const parts = healthy();
    const nodes = [{ name: 'demo-workers-0', role: 'worker', ready: false, version: 'v1.31.4' }];
    const kubernetes = part('demo', { nodes: [] }, { conditions: [aCondition('Ready', 'False')], nodes });
    expect(wayOf({ ...parts, kubernetes })).toEqual(['Cluster/demo', 'KubernetesCluster/demo', 'Node/demo-workers-0']);
  });

  it('names the machine that is missing in the cloud', () => {
    const parts = healthy();
    const drift = {
      resources: [{ id: 'i-1', address: 'aws_instance.demo-workers-0', kind: 'missing', attributes: [] }],
    };
    const infrastructure = part('demo', {}, { ...parts.infrastructure?.status, drift });
    expect(wayOf({ ...parts, infrastructure }).at(-1)).toBe('Machine/demo-workers-0 (i-1, us-east-1a)');
  });

  it('tells a failure in its own words, graver than work under way elsewhere', () => {
    const failure = { code: 'QuotaExceeded', message: 'No vCPU left', retryable: true };
    const infrastructure = part('demo', {}, { failure, conditions: [aCondition('Ready', 'False')] });
    const kubernetes = part('demo', { nodes: [{ name: 'n' }] }, { conditions: [aCondition('Ready', 'False')] });
    const way = rootCause(clusterTree({ cluster: aCluster(), infrastructure, kubernetes, installations: [] }));
    expect(way.at(-1)).toMatchObject({ id: 'Infrastructure/demo', message: 'QuotaExceeded: No vCPU left' });
  });

  it('has every cloud resource: by name what is known by name, else by type', () => {
    const at = (address: string, id: string, health = 'ok'): never =>
      ({ address, type: address.split('.')[0], name: '', id, health }) as never;
    const resources = [
      at('aws_vpc.vpc', 'vpc-1'),
      at('aws_instance.w', 'i-1', 'tainted'),
      at('aws_subnet.a', 's-1'),
      at('aws_subnet.b', 's-2', 'missing'),
    ];
    const tree = clusterTree({ ...healthy(), resources });
    const [infrastructure] = tree.children;
    expect(infrastructure?.children.map(({ name, own }) => [name, own])).toEqual([
      ['vpc-1 – aws_vpc.vpc', 'ok'],
      ['api.example', 'ok'],
      ['198.51.100.4', 'ok'],
      ['demo-workers-0 (i-1, us-east-1a) – aws_instance.w', 'warning'],
      ['aws_subnet', 'ok'],
    ]);
    expect(rootCause(tree).at(-1)).toMatchObject({ name: 'aws_subnet.b (s-2)', message: 'missing' });
  });
});
