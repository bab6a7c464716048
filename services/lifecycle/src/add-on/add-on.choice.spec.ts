import { describe, expect, it } from '@jest/globals';
import type { AddOn } from '@crate/api';
import { anAddOn } from '../testing/a-cluster.js';
import { chosenAddOns } from './add-on.choice.js';

const volumes: AddOn = anAddOn('volumes');
volumes.spec.defaultFor = ['aws'];
const catalogue = new Map([volumes, anAddOn('docs')].map((addOn) => [addOn.metadata.name, addOn]));
const docs = { name: 'docs' };

describe('the add-ons of a cluster', () => {
  it.each([
    { reason: 'what comes by default is first', asked: [docs], provider: 'aws', want: ['volumes', 'docs'] },
    { reason: 'in another cloud it does not come', asked: [docs], provider: 'sandbox-aws', want: ['docs'] },
    { reason: 'a cluster that Crate did not make has none', asked: [docs], provider: undefined, want: ['docs'] },
    {
      reason: 'what a cluster does not want it does not get',
      asked: [{ name: 'volumes', enabled: false }, docs],
      provider: 'aws',
      want: ['docs'],
    },
    {
      reason: 'what it asks for has the place that it gives it',
      asked: [docs, { name: 'volumes' }],
      provider: 'aws',
      want: ['docs', 'volumes'],
    },
    {
      reason: 'what it has by default stays while nobody knows its cloud',
      asked: [docs],
      provider: undefined,
      present: new Set(['volumes']),
      want: ['volumes', 'docs'],
    },
  ])('$reason', ({ asked, want, ...context }) => {
    expect(chosenAddOns(asked, catalogue, context).map(({ name }) => name)).toEqual(want);
  });
});
