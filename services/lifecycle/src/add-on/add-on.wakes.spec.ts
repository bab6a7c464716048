import type { AddOn, Cluster } from '@crate/api';
import { unavailable } from '@crate/errors';
import { describe, expect, it } from '@jest/globals';
import { aCluster, anAddOn } from '../testing/a-cluster.js';
import { installedClusterKeysOf } from './add-on.wakes.js';

function having(name: string, addOn: string, version: string): Cluster {
  const cluster = aCluster();
  return {
    ...cluster,
    metadata: { ...cluster.metadata, name },
    status: { addOns: [{ name: addOn, version, ready: true }] },
  };
}

function revised(addOn: AddOn, generation: number): AddOn {
  return { ...addOn, metadata: { ...addOn.metadata, generation } };
}

describe('installedClusterKeysOf', () => {
  const docs = anAddOn('docs');
  const { version } = docs.spec;
  const all = [
    having('same', 'docs', version),
    having('old', 'docs', '0.0.1'),
    having('other', 'tools', '0.0.1'),
    aCluster(),
  ];
  const names = async (given: Promise<readonly { readonly name: string }[]>): Promise<readonly string[]> =>
    (await given).map(({ name }) => name);

  it('wakes those that have another version when it is seen for the first time', async () => {
    const keysOf = installedClusterKeysOf({ list: () => Promise.resolve(all) });
    expect(await names(keysOf(revised(docs, 1)))).toEqual(['old']);
  });

  it('wakes all that have it when it changes, and none when its spec does not', async () => {
    let lists = 0;
    const keysOf = installedClusterKeysOf({ list: () => Promise.resolve(((lists += 1), all)) });
    await keysOf(revised(docs, 1));
    expect(await names(keysOf(revised(docs, 2)))).toEqual(['same', 'old']);
    expect(await names(keysOf(revised(docs, 2)))).toEqual([]);
    expect(lists).toBe(2);
  });

  it('looks at the clusters once for a whole catalogue that is seen for the first time', async () => {
    let lists = 0;
    const keysOf = installedClusterKeysOf({ list: () => Promise.resolve(((lists += 1), all)) });
    for (let n = 0; n < 100; n += 1) await keysOf(anAddOn(`add-on-${n}`));
    expect(await names(keysOf(anAddOn('tools')))).toEqual(['other']);
    expect(lists).toBe(1);
  });

  it('is asked again when the clusters could not be listed', async () => {
    let isAway = true;
    const keysOf = installedClusterKeysOf({
      list: () => (isAway ? Promise.reject(unavailable('away')) : Promise.resolve(all)),
    });
    await expect(keysOf(revised(docs, 1))).rejects.toMatchObject({ code: 'Unavailable' });
    isAway = false;
    expect(await names(keysOf(revised(docs, 1)))).toEqual(['old']);
  });
});
