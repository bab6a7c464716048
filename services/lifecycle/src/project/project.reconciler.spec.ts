import { setTimeout as delay } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Cluster, KubeList, Project } from '@crate/api';
import type { StoreListOptions, StoreQuery } from '@crate/resource-store';
import { aCluster, deleting } from '../testing/a-cluster.js';
import { aProject } from '../testing/a-project.js';
import { ProjectReconciler, resizedProjectKeysOf } from './project.reconciler.js';

const KEY = { namespace: '', name: 'team-a' };
const CONTEXT = { remoteSignal: new AbortController().signal };

let project: Project | undefined;
let clusters: readonly Cluster[];
let writes: number;
let listMs: number;
let pages: number[];
let reconciler: ProjectReconciler;
beforeEach(() => {
  project = aProject('team-a');
  clusters = [];
  writes = 0;
  const find = (): Promise<Project | undefined> => Promise.resolve(project);
  const saveStatus = (object: Project, status: unknown): Promise<Project> => {
    writes += 1;
    project = { ...object, status: status as NonNullable<Project['status']> };
    return Promise.resolve(project);
  };
  listMs = 0;
  pages = [];
  const list = async ({ namespace }: StoreQuery, options: StoreListOptions = {}): Promise<KubeList> => {
    await delay(listMs);
    const all = clusters.filter(({ metadata }) => metadata.namespace === namespace);
    const from = Number(options.continue ?? 0);
    const items = all.slice(from, from + (options.limit ?? Infinity));
    pages.push(items.length);
    const end = from + items.length;
    const more = end < all.length ? { continue: String(end) } : {};
    return { apiVersion: 'v1', kind: 'List', metadata: { resourceVersion: '1', ...more }, items };
  };
  reconciler = new ProjectReconciler({ find, saveStatus }, { list }, () => new Date('2026-01-01T00:00:00Z'));
});

describe('ProjectReconciler', () => {
  it('shows what the clusters take up, those going included', async () => {
    clusters = [aCluster(), deleting(aCluster({ controlPlane: { replicas: 1 }, nodePools: [] }))];
    expect(await reconciler.reconcile(KEY, CONTEXT)).toEqual({ kind: 'settled' });
    expect(project?.status).toMatchObject({
      usage: { clusters: 2, nodes: 6, vcpu: 16 },
      observedGeneration: 1,
      conditions: [{ type: 'Ready', status: 'True' }],
    });
  });

  it('is not ready while it is being deleted and somebody holds it', async () => {
    const { metadata } = aProject('team-a');
    project = {
      ...aProject('team-a'),
      metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['example.com/x'] },
    };
    await reconciler.reconcile(KEY, CONTEXT);
    expect(project?.status?.conditions).toMatchObject([
      {
        ...{ type: 'Ready', status: 'False', reason: 'Deleting' },
        message: 'Being deleted, and held by finalizers: example.com/x. Whoever set them has to let go',
      },
    ]);
  });

  it('writes nothing when nothing changed', async () => {
    await reconciler.reconcile(KEY, CONTEXT);
    await reconciler.reconcile(KEY, CONTEXT);
    expect(writes).toBe(1);
  });

  it('rests after counting for long, unless something else of the Project is to be shown', async () => {
    listMs = 200;
    await reconciler.reconcile(KEY, CONTEXT);
    const outcome = await reconciler.reconcile(KEY, CONTEXT);
    expect(outcome).toMatchObject({ kind: 'waiting', retryAfterMs: expect.any(Number) });
    expect(outcome.kind === 'waiting' && outcome.retryAfterMs).toBeGreaterThan(listMs);
    project = project && { ...project, metadata: { ...project.metadata, generation: 2 } };
    expect(await reconciler.reconcile(KEY, CONTEXT)).toEqual({ kind: 'settled' });
  });

  it('counts many clusters in several short reads', async () => {
    clusters = Array.from({ length: 1_234 }, () => aCluster({ controlPlane: { replicas: 1 }, nodePools: [] }));
    await reconciler.reconcile(KEY, CONTEXT);
    expect(pages).toEqual([500, 500, 234]);
    expect(project?.status?.usage).toMatchObject({ clusters: 1_234, nodes: 1_234 });
  });

  it('ends with the process, however much there is to count', async () => {
    clusters = Array.from({ length: 1_000 }, () => aCluster());
    listMs = 50;
    const ended = AbortSignal.timeout(80);
    await expect(reconciler.reconcile(KEY, { remoteSignal: ended })).rejects.toThrow();
    expect(pages).toEqual([500]);
  });

  it('has nothing to do for a Project that is gone', async () => {
    project = undefined;
    expect(await reconciler.reconcile(KEY, CONTEXT)).toMatchObject({ kind: 'settled' });
    expect(writes).toBe(0);
  });

  it('looks again at the Project of a cluster that comes, goes or changes its size', () => {
    const keysOf = resizedProjectKeysOf();
    const cluster = aCluster();
    const larger = aCluster({ controlPlane: { replicas: 5 } });
    expect(keysOf(cluster, 'ADDED')).toEqual([KEY]);
    expect(keysOf({ ...cluster, status: {} }, 'MODIFIED')).toEqual([]);
    expect(keysOf(larger, 'MODIFIED')).toEqual([KEY]);
    expect(keysOf(larger, 'MODIFIED')).toEqual([]);
    expect(keysOf(larger, 'DELETED')).toEqual([KEY]);
    expect(keysOf(larger, 'ADDED')).toEqual([KEY]);
  });
});
