import { describe, expect, it } from '@jest/globals';
import { CLUSTER_NAME_LABEL, type KubeObject } from '@crate/api';
import { aCluster, anInfrastructure } from '../testing/a-cluster.js';
import { childLabels, childSelector, clusterKeysOf } from './cluster.children.js';

describe('children of a cluster', () => {
  it('carry its name, its uid, its engine and its cloud, and are selected by the uid alone', () => {
    expect(childLabels({ cluster: aCluster(), provider: 'aws' })).toEqual({
      'lifecycle.crate.dev/cluster': 'demo',
      'lifecycle.crate.dev/cluster-uid': 'uid-demo',
      'lifecycle.crate.dev/engine': 'rke',
      'lifecycle.crate.dev/provider': 'aws',
    });
    expect(childSelector(aCluster())).toBe('lifecycle.crate.dev/cluster-uid=uid-demo');
  });

  it('carry the labels that people gave it, and nothing that stands for ours', () => {
    const labels = {
      stage: 'prod',
      'example.org/team': 'a',
      'lifecycle.crate.dev/cluster-uid': 'other',
      'crate.dev/x': 'y',
    };
    const cluster = aCluster();
    expect(childLabels({ cluster: { ...cluster, metadata: { ...cluster.metadata, labels } } })).toEqual({
      ...{ stage: 'prod', 'example.org/team': 'a' },
      ...childLabels({ cluster }),
    });
  });

  it('wake their cluster, and what people made themselves wakes nobody', () => {
    const child: KubeObject = anInfrastructure();
    expect(clusterKeysOf(child)).toEqual([]);
    const labels = { [CLUSTER_NAME_LABEL]: 'demo' };
    expect(clusterKeysOf({ ...child, metadata: { ...child.metadata, labels } })).toEqual([
      { namespace: 'team-a', name: 'demo' },
    ]);
  });
});
