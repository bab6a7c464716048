import { describe, expect, it } from '@jest/globals';
import { CLUSTER } from '@crate/api';
import { InMemoryResourceStore } from '@crate/resource-store';
import { aCluster, CONTEXT } from '../fixtures/local-api.js';
import { KindRegistry } from '../kinds/kind-registry.js';
import { LocalResourceApi } from './local-resource-api.js';
import { withOwnApis } from './own-api.js';

const CLUSTERS = { group: CLUSTER.group, version: CLUSTER.version, plural: CLUSTER.plural };

function stored(): LocalResourceApi {
  return new LocalResourceApi({
    store: new InMemoryResourceStore(),
    kinds: new KindRegistry([{ definition: CLUSTER }]),
  });
}

describe('withOwnApis', () => {
  it('asks the kind that answers for itself, and the store for all others', async () => {
    const own = stored();
    const beneath = stored();
    const kinds = new KindRegistry([{ definition: CLUSTER, api: own }]);
    await withOwnApis(beneath, kinds).create(CLUSTERS, aCluster(), {}, CONTEXT);
    expect((await own.list(CLUSTERS, {}, CONTEXT)).items).toHaveLength(1);
    expect((await beneath.list(CLUSTERS, {}, CONTEXT)).items).toEqual([]);

    await withOwnApis(beneath, new KindRegistry([{ definition: CLUSTER }])).create(CLUSTERS, aCluster(), {}, CONTEXT);
    expect((await beneath.list(CLUSTERS, {}, CONTEXT)).items).toHaveLength(1);
  });
});
