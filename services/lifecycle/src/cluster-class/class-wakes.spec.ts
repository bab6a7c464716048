import { type Cluster, type ClusterClass } from '@crate/api';
import { unavailable } from '@crate/errors';
import type { TypedClient } from '@crate/resource-client';
import { describe, expect, it, jest } from '@jest/globals';
import { APPROVED_PLAN_ANNOTATION, markText } from '../plan/approved-plan.js';
import { aCluster } from '../testing/a-cluster.js';
import { HELD_ANNOTATION } from './class-marks.js';
import { classKeysOf, usingClusterKeysOf } from './class-wakes.js';

const changed = (generation: number): ClusterClass =>
  ({ metadata: { name: 'standard', uid: 'u', generation } }) as unknown as ClusterClass;

describe('classKeysOf', () => {
  it('tells the class of a cluster whose revision nobody states any more, though its spec is the same', () => {
    const cluster = aCluster({ classRef: { name: 'standard', revision: 1 } });
    const fieldsV1 = { 'f:spec': { 'f:classRef': { 'f:name': {}, 'f:revision': {} } } };
    const owned = [{ manager: 'ada', operation: 'Apply' as const, fieldsV1 }];
    const pinned = { ...cluster, metadata: { ...cluster.metadata, managedFields: owned } } as unknown as Cluster;
    const keysOf = classKeysOf();
    expect(keysOf(pinned)).toEqual([{ namespace: '', name: 'standard' }]);
    expect(keysOf(pinned)).toEqual([]);
    expect(keysOf(cluster)).toEqual([{ namespace: '', name: 'standard' }]);
  });

  it('tells the class of a cluster that is not to stay where it is any more', () => {
    const cluster = aCluster({ classRef: { name: 'standard', revision: 1 } });
    const keysOf = classKeysOf();
    keysOf({ ...cluster, metadata: { ...cluster.metadata, annotations: { [HELD_ANNOTATION]: '2' } } });
    expect(keysOf(cluster)).toEqual([{ namespace: '', name: 'standard' }]);
  });

  it('tells the class of a cluster once no plan is carried out in it any more', () => {
    const cluster = aCluster({ classRef: { name: 'standard', revision: 1 } });
    const { metadata } = cluster;
    const mark = markText({ name: 'grow', uid: 'u', digest: 'd', generation: metadata.generation });
    const annotations = { [APPROVED_PLAN_ANNOTATION]: mark };
    const keysOf = classKeysOf();
    keysOf({ ...cluster, metadata: { ...metadata, annotations } });
    expect(keysOf(cluster)).toEqual([{ namespace: '', name: 'standard' }]);
    expect(keysOf(cluster)).toEqual([]);
  });
});

describe('usingClusterKeysOf', () => {
  it('tells the clusters of a class of each generation once', async () => {
    const list = jest.fn<TypedClient<Cluster>['list']>().mockResolvedValue([aCluster()]);
    const keysOf = usingClusterKeysOf({ list } as unknown as TypedClient<Cluster>);
    expect(await keysOf(changed(1))).toEqual([{ namespace: 'team-a', name: 'demo' }]);
    expect(await keysOf(changed(1))).toEqual([]);
    expect(await keysOf(changed(2))).toHaveLength(1);
  });

  it('tells them when it is asked again after they could not be read', async () => {
    const list = jest.fn<TypedClient<Cluster>['list']>().mockRejectedValueOnce(unavailable('away'));
    list.mockResolvedValue([aCluster()]);
    const keysOf = usingClusterKeysOf({ list } as unknown as TypedClient<Cluster>);
    await expect(keysOf(changed(1))).rejects.toMatchObject({ code: 'Unavailable' });
    expect(await keysOf(changed(1))).toHaveLength(1);
  });
});
