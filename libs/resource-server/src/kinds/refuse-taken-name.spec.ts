import { describe, expect, it } from '@jest/globals';
import { CLUSTER } from '@crate/api';
import { TypedClient } from '@crate/resource-client';
import { failing } from '../fixtures/failing.js';
import { aCluster, CLUSTERS, CONTEXT, localApi, refTo } from '../fixtures/local-api.js';
import { refuseTakenName } from './refuse-taken-name.js';

describe('a name that is taken', () => {
  it('is refused before anything is kept by it, also while its object is on its way out', async () => {
    const { api, kinds } = localApi();
    const kept: string[] = [];
    kinds.add({
      definition: CLUSTER,
      admit: [
        refuseTakenName(new TypedClient(api, CLUSTER, CONTEXT)),
        ({ operation }) => Promise.resolve(void kept.push(operation)),
      ],
    });
    const create = (): Promise<unknown> => api.create(CLUSTERS, aCluster(), {}, CONTEXT);
    const finalizers = (names: readonly string[]): Promise<unknown> =>
      api.patch(refTo(CLUSTERS, 'demo'), { metadata: { finalizers: names } }, { type: 'merge' }, CONTEXT);
    await create();
    await finalizers(['example.com/kept']);
    await api.remove(refTo(CLUSTERS, 'demo'), {}, CONTEXT);

    await expect(create()).rejects.toEqual(
      failing('AlreadyExists', '^clusters.lifecycle.crate.dev "demo" already exists$'),
    );
    expect(kept).toEqual(['CREATE', 'UPDATE', 'DELETE']);
    await finalizers([]);
    await create();
    expect(kept.at(-1)).toBe('CREATE');
  });
});
