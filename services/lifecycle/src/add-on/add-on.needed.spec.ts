import { describe, expect, it } from '@jest/globals';
import type { AddOn } from '@crate/api';
import type { TypedClient } from '@crate/resource-client';
import { anAddOn } from '../testing/a-cluster.js';
import { findNeededAddOns } from './add-on.needed.js';

const ALL = [
  anAddOn('baseline'),
  anAddOn('docs', 'baseline'),
  anAddOn('lost', 'nowhere'),
  anAddOn('a', 'b'),
  anAddOn('b', 'a'),
];

function catalogue(calls: string[]): TypedClient<AddOn> {
  const find = (name: string): Promise<AddOn | undefined> => {
    calls.push(name);
    return Promise.resolve(ALL.find(({ metadata }) => metadata.name === name));
  };
  const list = (): Promise<readonly AddOn[]> => {
    calls.push('list');
    return Promise.resolve(ALL);
  };
  return { find, list } as unknown as TypedClient<AddOn>;
}

describe('findNeededAddOns', () => {
  it.each([
    { names: [], want: [], reads: [], reason: 'nothing is read for nothing' },
    { names: ['docs'], want: ['docs', 'baseline'], reads: ['docs', 'baseline'], reason: 'dependencies come along' },
    {
      names: ['docs', 'baseline'],
      want: ['docs', 'baseline'],
      reads: ['docs', 'baseline'],
      reason: 'each is read once',
    },
    { names: ['a'], want: ['a', 'b'], reads: ['a', 'b'], reason: 'a circle ends' },
  ])('of $names gives $want: $reason', async ({ names, want, reads }) => {
    const calls: string[] = [];
    const asked = names.map((name) => ({ name }));
    expect([...(await findNeededAddOns(asked, catalogue(calls))).keys()]).toEqual(want);
    expect(calls).toEqual(reads);
  });

  it.each([{ names: ['unknown'] }, { names: ['lost'] }])(
    'gives the whole catalogue when $names leads to one it lacks',
    async ({ names }) => {
      const asked = names.map((name) => ({ name }));
      const found = await findNeededAddOns(asked, catalogue([]));
      expect([...found.keys()]).toEqual(ALL.map(({ metadata }) => metadata.name));
    },
  );
});
