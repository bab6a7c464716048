import { beforeEach, describe, expect, it } from '@jest/globals';
import type { AddOn } from '@crate/api';
import { anAddOn } from '../testing/a-cluster.js';
import { CompiledAddOn } from './add-on.content.js';
import { SharedCatalogue } from './add-on.shared.js';

let stored: readonly AddOn[];
let catalogue: SharedCatalogue;
beforeEach(() => {
  stored = [withVersion('1'), anAddOn('baseline')];
  // As a database gives them: others each time.
  catalogue = new SharedCatalogue({ list: () => Promise.resolve(structuredClone(stored)) });
});

function withVersion(resourceVersion: string): AddOn {
  const { metadata, ...docs } = anAddOn('docs');
  const spec = { ...docs.spec, valuesSchema: { type: 'object' } };
  return { ...docs, metadata: { ...metadata, resourceVersion }, spec };
}

async function docs(): Promise<AddOn> {
  return (await catalogue.byName()).get('docs')!;
}

describe('SharedCatalogue', () => {
  it('has what it is made of compiled once, for as long as an add-on is as it was', async () => {
    const before = CompiledAddOn.of((await docs()).spec);
    expect(CompiledAddOn.of((await docs()).spec)).toBe(before);
    stored = [withVersion('2')];
    expect(CompiledAddOn.of((await docs()).spec)).not.toBe(before);
  });

  it('is what is stored now', async () => {
    await catalogue.byName();
    stored = [withVersion('2')];
    expect([...(await catalogue.byName()).values()]).toEqual(stored);
    stored = [];
    expect([...(await catalogue.byName())]).toEqual([]);
  });
});
