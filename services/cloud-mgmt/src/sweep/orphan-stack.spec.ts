import { parseState } from '@crate/terraform';
import { describe, expect, it } from '@jest/globals';
import { orphanDocument, tagsInState } from './orphan-stack.js';

const input = { region: 'eu-west-1', accountId: '111122223333' };

function aState(...resources: { type: string; name: string; attributes: object }[]): ReturnType<typeof parseState> {
  const all = resources.map(({ attributes, ...rest }) => ({ mode: 'managed', ...rest, instances: [{ attributes }] }));
  return parseState(Buffer.from(JSON.stringify({ version: 4, serial: 1, lineage: 'a', outputs: {}, resources: all })));
}

describe('orphanDocument', () => {
  it('has an address for each orphan, and says nothing about it', () => {
    const document = orphanDocument({
      ...input,
      orphans: [{ type: 'aws_vpc' }, { type: 'aws_eip' }, { type: 'aws_vpc' }],
    });

    expect(document['resource']).toEqual({ aws_vpc: { 'orphan-0': {}, 'orphan-2': {} }, aws_eip: { 'orphan-1': {} } });
  });

  it('is nothing but the provider without orphans, and refuses to work in another account', () => {
    const document = orphanDocument({ ...input, orphans: [] });

    expect(document['resource']).toBeUndefined();
    expect(document['provider']).toEqual({ aws: [{ region: 'eu-west-1', allowed_account_ids: ['111122223333'] }] });
  });
});

describe('tagsInState', () => {
  const state = aState(
    { type: 'aws_vpc', name: 'orphan-0', attributes: { id: 'vpc-1', tags: { a: 'b' } } },
    { type: 'aws_eip', name: 'orphan-1', attributes: { id: 'eip-1', tags: null } },
    { type: 'aws_route', name: 'orphan-2', attributes: { id: 'r-1' } },
  );

  it.each([
    { reason: 'its tags', address: 'aws_vpc.orphan-0', want: { a: 'b' } },
    {
      reason: 'no tags, although it takes some: it is not the one that was listed',
      address: 'aws_eip.orphan-1',
      want: {},
    },
    { reason: 'a type that takes none', address: 'aws_route.orphan-2', want: undefined },
    { reason: 'not imported', address: 'aws_vpc.orphan-9', want: undefined },
  ])('$reason', ({ address, want }) => {
    expect(tagsInState(state, address)).toEqual(want);
  });

  it('knows nothing without a state', () => {
    expect(tagsInState(undefined, 'aws_vpc.orphan-0')).toBeUndefined();
  });
});
