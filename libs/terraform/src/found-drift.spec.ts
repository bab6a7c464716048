import { describe, expect, it } from '@jest/globals';
import { foundDrift } from './found-drift.js';

type Json = Record<string, unknown>;

interface Row {
  readonly name: string;
  readonly reason: string;
  /** What is in the state, and what is in the cloud; null: it is gone. */
  readonly state: Json;
  readonly cloud: Json | null;
  /** What an ordinary plan makes of the cloud; undefined: it leaves it alone. */
  readonly plan?: { readonly actions: string[]; readonly after?: Json; readonly after_unknown?: Json };
  readonly sensitive?: Json;
  readonly want: unknown;
}

const ADDRESS = 'aws_vpc.vpc';

function documents({ state, cloud, plan, sensitive }: Row): { refresh: Json; plan: Json } {
  const named = { address: ADDRESS, type: 'aws_vpc', name: 'vpc', mode: 'managed' };
  const marks = { before_sensitive: sensitive ?? {}, after_sensitive: sensitive ?? {} };
  const drifted = { actions: [cloud ? 'update' : 'delete'], before: state, after: cloud, ...marks };
  const planned = { before: cloud, after: plan?.after ?? cloud, after_unknown: plan?.after_unknown ?? {}, ...marks };
  return {
    refresh: { resource_drift: [{ ...named, change: drifted }] },
    plan: { resource_changes: [{ ...named, change: { ...planned, actions: plan?.actions ?? ['no-op'] } }] },
  };
}

const changed = (...attributes: Json[]): unknown => [
  { address: ADDRESS, type: 'aws_vpc', id: 'vpc-1', kind: 'changed', attributes },
];

describe('foundDrift', () => {
  it.each<Row>([
    {
      name: 'an attribute that the configuration states',
      reason: 'A plan puts it back, so it is drift',
      state: { id: 'vpc-1', enable_dns_support: true },
      cloud: { id: 'vpc-1', enable_dns_support: false },
      plan: { actions: ['update'], after: { id: 'vpc-1', enable_dns_support: true } },
      want: changed({ path: 'enable_dns_support', before: true, after: false }),
    },
    {
      name: 'a value that the provider computes',
      reason: 'Nobody stated it, and a plan leaves it alone',
      state: { id: 'vpc-1', main_route_table_id: 'rtb-1' },
      cloud: { id: 'vpc-1', main_route_table_id: 'rtb-2' },
      want: [],
    },
    {
      name: 'a stated attribute beside a computed one',
      reason: 'Each attribute is judged by itself',
      state: { id: 'vpc-1', size: 1, status: 'a' },
      cloud: { id: 'vpc-1', size: 2, status: 'b' },
      plan: { actions: ['update'], after: { id: 'vpc-1', size: 1, status: 'b' } },
      want: changed({ path: 'size', before: 1, after: 2 }),
    },
    {
      name: 'a computed value that comes anew with a replacement',
      reason: 'It is not known, which does not make it stated',
      state: { id: 'vpc-1', cidr: 'a', arn: 'x' },
      cloud: { id: 'vpc-1', cidr: 'b', arn: 'y' },
      plan: { actions: ['delete', 'create'], after: { cidr: 'a' }, after_unknown: { id: true, arn: true } },
      want: changed({ path: 'cidr', before: 'a', after: 'b' }),
    },
    {
      name: 'one tag that somebody added',
      reason: 'A map is compared entry by entry, and tags are not told twice',
      state: { id: 'vpc-1', tags: { a: '1' }, tags_all: { a: '1' } },
      cloud: { id: 'vpc-1', tags: { a: '1', b: '2' }, tags_all: { a: '1', b: '2' } },
      plan: { actions: ['update'], after: { id: 'vpc-1', tags: { a: '1' }, tags_all: { a: '1' } } },
      want: changed({ path: 'tags.b', after: '2' }),
    },
    {
      name: 'an attribute within a block',
      reason: 'Blocks are compared one by one',
      state: { id: 'vpc-1', disk: [{ size: 50, kind: 'a' }] },
      cloud: { id: 'vpc-1', disk: [{ size: 20, kind: 'a' }] },
      plan: { actions: ['update'], after: { id: 'vpc-1', disk: [{ size: 50, kind: 'a' }] } },
      want: changed({ path: 'disk[0].size', before: 50, after: 20 }),
    },
    {
      name: 'rules of which one was added',
      reason: 'A list of another length is shown as a whole',
      state: { id: 'vpc-1', rules: ['a'] },
      cloud: { id: 'vpc-1', rules: ['a', 'b'] },
      plan: { actions: ['update'], after: { id: 'vpc-1', rules: ['a'] } },
      want: changed({ path: 'rules', before: ['a'], after: ['a', 'b'] }),
    },
    {
      name: 'a sensitive value',
      reason: 'That it differs may be told, what it is may not',
      state: { id: 'vpc-1', password: 'old', other: 'same' },
      cloud: { id: 'vpc-1', password: 'new', other: 'same' },
      plan: { actions: ['update'], after: { id: 'vpc-1', password: 'old', other: 'same' } },
      sensitive: { password: true, other: true },
      want: changed({
        path: 'password',
        before: '(sensitive value)',
        after: '(sensitive value)',
        isSensitive: true,
      }),
    },
    {
      name: 'nothing written as another nothing',
      reason: 'Null, empty text and empty list mean the same to a provider',
      state: { id: 'vpc-1', description: null, groups: [] },
      cloud: { id: 'vpc-1', description: '', groups: null },
      plan: { actions: ['update'], after: { id: 'vpc-1', description: 'x', groups: ['y'] } },
      want: [],
    },
    {
      name: 'an object that was removed',
      reason: 'A plan makes it anew',
      state: { id: 'vpc-1' },
      cloud: null,
      plan: { actions: ['create'], after: {} },
      want: [{ address: ADDRESS, type: 'aws_vpc', id: 'vpc-1', kind: 'missing', attributes: [] }],
    },
    {
      name: 'an object that was removed and is not asked for any more',
      reason: 'It may well be gone',
      state: { id: 'vpc-1' },
      cloud: null,
      want: [],
    },
  ])('$name: $reason', (row) => {
    expect(foundDrift(documents(row))).toEqual(row.want);
  });

  it('leaves data sources and what a plan does not know alone', () => {
    const change = { actions: ['update'], before: { id: 'a', x: 1 }, after: { id: 'a', x: 2 } };
    const refresh = {
      resource_drift: [
        { address: 'data.aws_ami.a', mode: 'data', type: 'aws_ami', change },
        { address: 'aws_vpc.unknown', mode: 'managed', type: 'aws_vpc', change },
      ],
    };
    expect(foundDrift({ refresh, plan: {} })).toEqual([]);
    expect(foundDrift({ refresh: {}, plan: {} })).toEqual([]);
  });
});
