import { describe, expect, it } from '@jest/globals';
import {
  apiVersionOf,
  CLOUD_ACCOUNT,
  CLUSTER,
  conditionTrue,
  mergeConditions,
  PROJECT,
  type KubeObject,
} from '@crate/api';
import { InMemoryTargetCluster, type TargetCluster, type TargetList } from '@crate/kubernetes';
import { createCluster, prepareProject, waitUntilReady } from './bench-cluster.js';

function cluster(name: string, generation: number, readyAt?: number): KubeObject {
  const facts = [conditionTrue('Ready', 'Ready')];
  const conditions = readyAt === undefined ? [] : mergeConditions([], facts, { generation: readyAt, now: new Date() });
  const metadata = { name, generation } as KubeObject['metadata'];
  return { apiVersion: 'v1', kind: 'Cluster', metadata, status: { conditions, progress: { message: 'Nodes join' } } };
}

/** Answers one list after the other, and the last one for ever. */
function listing(...lists: (readonly KubeObject[])[]): TargetCluster {
  const left = [...lists];
  const list = (): Promise<TargetList> =>
    Promise.resolve({ items: (left.length > 1 ? left.shift() : left[0]) ?? [] } as unknown as TargetList);
  return { list } as unknown as TargetCluster;
}

describe('the benchmark', () => {
  it('asks for valid documents: a Project, an account in it, and the cluster of the quickstart', async () => {
    const api = new InMemoryTargetCluster();
    await prepareProject(api);
    await createCluster(api, 'bench-0');

    expect(api.writes).toEqual(['apply Project bench', 'apply CloudAccount sandbox', 'apply Cluster bench-0']);
    const kinds = [PROJECT, CLOUD_ACCOUNT, CLUSTER];
    for (const definition of kinds) {
      const { items } = await api.list(apiVersionOf(definition), definition.kind);
      expect(definition.body.safeParse({ spec: items[0]?.['spec'] }).error).toBeUndefined();
    }
  });
});

describe('waitUntilReady', () => {
  it('gives the time of each cluster once, in the order they became Ready', async () => {
    const startedAt = performance.now() - 10_000;
    const api = listing(
      [cluster('a', 1), cluster('b', 1)],
      [cluster('a', 1), cluster('b', 1, 1)],
      [cluster('a', 1, 1), cluster('b', 1)],
    );
    const [first, second, ...rest] = await waitUntilReady(api, 2, startedAt);
    expect(first).toBeGreaterThanOrEqual(10);
    expect(second).toBeGreaterThan(first ?? Infinity);
    expect(rest).toEqual([]);
  });

  it('does not take a cluster that was Ready of an earlier spec, and names what is late', async () => {
    const api = listing([cluster('a', 2, 1), cluster('b', 1, 1)]);
    await expect(waitUntilReady(api, 2, performance.now(), 60)).rejects.toMatchObject({
      code: 'Timeout',
      message: 'Only 1 of 2 clusters became Ready (a: Nodes join)',
    });
  });
});
