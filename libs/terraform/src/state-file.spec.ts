import { describe, expect, it } from '@jest/globals';
import { newestState, parseState } from './state-file.js';
import { aState } from './testing/a-state.js';

describe('parseState', () => {
  it('lists managed objects with their ids, one for each instance', () => {
    const state = parseState(
      aState({
        resources: [
          { mode: 'managed', type: 'aws_vpc', name: 'vpc', instances: [{ attributes: { id: 'vpc-1' } }] },
          {
            mode: 'managed',
            type: 'aws_subnet',
            name: 's',
            instances: [{ attributes: { id: 's-1' } }, { attributes: {} }],
          },
          { mode: 'data', type: 'aws_ami', name: 'image', instances: [{ attributes: { id: 'ami-1' } }] },
        ],
      }),
    );

    expect(state?.resources).toEqual([
      { address: 'aws_vpc.vpc', type: 'aws_vpc', id: 'vpc-1' },
      { address: 'aws_subnet.s', type: 'aws_subnet', id: 's-1' },
      { address: 'aws_subnet.s', type: 'aws_subnet', id: undefined },
    ]);
  });

  it('lists the providers of all objects', () => {
    const resources = ['["a.io/b/c"]', '["a.io/b/c"].west', '["d.io/e/f"]'].map((text) => ({
      ...{ mode: 'data', type: 't', name: 'n', provider: `provider${text}` },
    }));
    const odd = { mode: 'managed', type: 't', name: 'n', provider: 'odd' };

    expect(parseState(aState({ resources: [...resources, odd] }))?.providers).toEqual(['a.io/b/c', 'd.io/e/f', 'odd']);
  });

  it.each([
    { name: 'nothing', given: undefined },
    { name: 'an empty file', given: Buffer.from('') },
    { name: 'half a write', given: aState({}).subarray(0, 40) },
    { name: 'another format', given: Buffer.from('{"version":3,"serial":1,"lineage":"a"}') },
  ])('takes $name for no state', ({ given }) => {
    expect(parseState(given)).toBeUndefined();
  });
});

describe('newestState', () => {
  const copy = (serial: number, lineage = 'a'): ReturnType<typeof parseState> =>
    parseState(aState({ serial, lineage }));

  it.each([
    { name: 'the greatest serial', copies: [copy(1), copy(3), copy(2)], lineage: undefined, want: 1 },
    { name: 'the first of equal ones', copies: [copy(2), copy(2)], lineage: undefined, want: 0 },
    { name: 'none of another lineage', copies: [copy(1), copy(9, 'b')], lineage: undefined, want: 0 },
    { name: 'one of the lineage that is asked for', copies: [copy(9, 'b'), copy(1)], lineage: 'a', want: 1 },
    { name: 'what there is', copies: [undefined, copy(1)], lineage: undefined, want: 1 },
  ])('picks $name', ({ copies, lineage, want }) => {
    expect(newestState(copies, lineage)).toBe(copies[want]);
  });

  it('picks nothing of nothing', () => {
    expect(newestState([undefined, undefined])).toBeUndefined();
  });
});
