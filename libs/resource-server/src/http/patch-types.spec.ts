import { describe, expect, it } from '@jest/globals';
import { CLUSTER } from '@crate/api';
import { subresourcePatchTypeOf } from './patch-types.js';

const JSON_PATCH = 'application/json-patch+json';
const MERGE_PATCH = 'application/merge-patch+json';
const STRATEGIC_PATCH = 'application/strategic-merge-patch+json';

describe('subresourcePatchTypeOf', () => {
  it.each([
    { group: CLUSTER.group, types: [JSON_PATCH, MERGE_PATCH] },
    { group: 'apps', types: [JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH] },
  ])('names to who sends an apply just what a kind of $group takes', ({ group, types }) => {
    const wanted = new RegExp(`include: ${types.join(', ').replaceAll('+', '\\+')}$`);
    expect(() => subresourcePatchTypeOf({ group }, 'application/apply-patch+yaml')).toThrow(wanted);
    expect(types.map((type) => subresourcePatchTypeOf({ group }, type))).toEqual(
      ['json', 'merge', 'strategic'].slice(0, types.length),
    );
  });
});
