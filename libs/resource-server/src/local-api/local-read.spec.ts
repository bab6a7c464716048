import { beforeEach, describe, expect, it } from '@jest/globals';
import type { KubeObject, KubeObjectInput } from '@crate/api';
import { failing } from '../fixtures/failing.js';
import { CONFIG_MAP } from '../fixtures/kinds.js';
import {
  aCluster,
  aConfigMap,
  CLUSTERS,
  CONFIG_MAPS,
  CONTEXT,
  localApi,
  type LocalFixture,
  refTo,
} from '../fixtures/local-api.js';

const REF = refTo(CLUSTERS, 'demo');
const MAP = refTo(CONFIG_MAPS, 'm');

let fixture: LocalFixture;
beforeEach(() => {
  fixture = localApi();
});

async function create(object: KubeObjectInput = aCluster(), options = {}): Promise<KubeObject> {
  return (await fixture.api.create(CLUSTERS, object, options, CONTEXT)).object;
}

describe('reading', () => {
  it('lists with kind, version and pages', async () => {
    for (const name of ['a', 'b', 'c']) await create(aCluster(name));
    const page = await fixture.api.list(CLUSTERS, { limit: 2 }, CONTEXT);
    expect(page).toMatchObject({ apiVersion: 'lifecycle.crate.dev/v1alpha1', kind: 'ClusterList' });
    const rest = await fixture.api.list(CLUSTERS, { limit: 2, continue: page.metadata.continue ?? '' }, CONTEXT);
    expect([...page.items, ...rest.items].map((item) => item.metadata.name)).toEqual(['a', 'b', 'c']);
  });

  it('serves an object in every version of its kind', async () => {
    const definition = { ...CONFIG_MAP.definition, version: 'v2' };
    const { api } = localApi({ definition });
    await api.create(CONFIG_MAPS, aConfigMap('m', {}), {}, CONTEXT);
    expect((await api.get({ ...MAP, version: 'v2' }, CONTEXT)).apiVersion).toBe('v2');
    expect((await api.get(MAP, CONTEXT)).apiVersion).toBe('v1');
  });

  it('reads subresources', async () => {
    await create();
    expect(await fixture.api.readSubresource(REF, 'kubeconfig', CONTEXT)).toContain('kind: Config');
    await expect(fixture.api.readSubresource(REF, 'nothing', CONTEXT)).rejects.toEqual(failing('NotFound'));
    const absent = refTo(CLUSTERS, 'absent');
    await expect(fixture.api.readSubresource(absent, 'kubeconfig', CONTEXT)).rejects.toEqual(
      failing('NotFound', 'absent'),
    );
  });

  it('does not know a kind that is not served (any more)', async () => {
    fixture.kinds.remove(CONFIG_MAPS);
    await expect(fixture.api.list(CONFIG_MAPS, {}, CONTEXT)).rejects.toEqual(failing('NotFound', 'could not find'));
    fixture.kinds.add(CONFIG_MAP);
    await expect(fixture.api.list(CONFIG_MAPS, {}, CONTEXT)).resolves.toMatchObject({ items: [] });
  });
});
