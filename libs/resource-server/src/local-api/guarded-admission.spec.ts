import { beforeEach, describe, expect, it } from '@jest/globals';
import { CLUSTER, type Cluster } from '@crate/api';
import { forbidden } from '@crate/errors';
import { digestOf } from '@crate/resource-store';
import { aCluster, CLUSTERS, CONTEXT, localApi, refTo, type LocalFixture } from '../fixtures/local-api.js';
import type { AdmissionHook } from '../kinds/served-kind.js';

const QUERY = { group: CLUSTER.group, kind: CLUSTER.kind, namespace: 'team-a' };
const LIMIT = 9;

let fixture: LocalFixture;
let decisions: number;
beforeEach(() => {
  decisions = 0;
  fixture = localApi({ definition: CLUSTER, admit: [atMost(LIMIT)] });
});

/** All control planes of a namespace together may have so many machines; at least one cluster stays. */
function atMost(limit: number): AdmissionHook {
  return async ({ object, operation }) => {
    decisions += 1;
    const { items } = await fixture.store.list(QUERY);
    const others = (items as Cluster[]).filter(({ metadata }) => metadata.name !== object.metadata.name);
    const guards = [{ ...QUERY, digest: digestOf(items) }];
    if (operation === 'DELETE' && others.length === 0) throw forbidden('The last one stays');
    const all = operation === 'DELETE' ? others : [...others, object as Cluster];
    const sum = all.reduce((machines, { spec }) => machines + (spec.controlPlane?.replicas ?? 0), 0);
    if (sum > limit) throw forbidden(`${sum} of ${limit}`);
    return { guards };
  };
}

async function create(name: string, replicas: number): Promise<unknown> {
  return fixture.api.create(CLUSTERS, aCluster(name, { controlPlane: { replicas } }), {}, CONTEXT);
}

async function scale(name: string, replicas: number): Promise<unknown> {
  const patch = { spec: { controlPlane: { replicas } } };
  return fixture.api.patch(refTo(CLUSTERS, name), patch, { type: 'merge' }, CONTEXT);
}

async function machines(): Promise<number> {
  const { items } = await fixture.store.list(QUERY);
  return (items as Cluster[]).reduce((sum, { spec }) => sum + (spec.controlPlane?.replicas ?? 0), 0);
}

/** How many went through; the others were refused by the limit, and not for others being quicker. */
async function through(writes: readonly Promise<unknown>[]): Promise<number> {
  const settled = await Promise.allSettled(writes);
  const refused = settled.filter((result) => result.status === 'rejected');
  for (const { reason } of refused) expect(reason).toMatchObject({ code: 'Forbidden' });
  return settled.length - refused.length;
}

describe('admission with guards', () => {
  it('keeps creates that come at once within a limit, and uses all of it', async () => {
    expect(await through(Array.from({ length: 30 }, (_, index) => create(`c${index}`, 1)))).toBe(LIMIT);
    expect(await machines()).toBe(LIMIT);
  });

  it('keeps growth that comes at once within a limit', async () => {
    for (const name of ['a', 'b', 'c', 'd']) await create(name, 1);
    // Two may grow from one to three; with a third there would be ten.
    expect(await through(['a', 'b', 'c', 'd'].map((name) => scale(name, 3)))).toBe(2);
    expect(await machines()).toBe(8);
  });

  it('holds deletions to what they were decided on', async () => {
    await create('a', 1);
    await create('b', 1);
    const removals = ['a', 'b'].map((name) => fixture.api.remove(refTo(CLUSTERS, name), {}, CONTEXT));
    expect(await through(removals)).toBe(1);
    expect(await machines()).toBe(1);
  });

  it('decides once when nobody comes between, and not again for a taken name', async () => {
    await create('a', 1);
    expect(decisions).toBe(1);
    await expect(create('a', 1)).rejects.toMatchObject({ code: 'AlreadyExists' });
  });

  it('goes on through changes of the object itself', async () => {
    await create('a', 1);
    const label = (value: number): Promise<unknown> =>
      fixture.api.patch(refTo(CLUSTERS, 'a'), { metadata: { labels: { l: `${value}` } } }, { type: 'merge' }, CONTEXT);
    expect(await through([scale('a', 3), ...Array.from({ length: 10 }, (_, index) => label(index))])).toBe(11);
    expect(await machines()).toBe(3);
  });
});
