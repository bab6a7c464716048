import { expect, it } from '@jest/globals';
import type { KeyUse } from '../world/records.js';
import { unmovedIn } from './unmoved.js';

const made = (keyId: string): { service: string; keyId: string } => ({ service: 'cloud-mgmt', keyId });
const under = (keyId: string, schema: KeyUse['schema'] = 'cloud_mgmt'): KeyUse => ({
  schema,
  key_id: keyId,
  records: 4,
});

it.each<{ reason: string; keys: ReturnType<typeof made>[]; uses: KeyUse[]; want: string[] }>([
  { reason: 'nobody made a key', keys: [], uses: [under('a'), under('b')], want: [] },
  { reason: 'all is under the newest', keys: [made('b'), made('c')], uses: [under('c')], want: [] },
  { reason: 'all is under one that nobody was told of', keys: [made('b')], uses: [under('c')], want: [] },
  { reason: 'another service was given none', keys: [made('b')], uses: [under('a', 'cluster_mgmt')], want: [] },
  {
    reason: 'something is under the one before',
    keys: [made('c'), made('b')],
    uses: [under('b'), under('c')],
    want: ['4 records of cloud_mgmt stand under key b, and c was made'],
  },
])('what is not moved under new keys is named: $reason', async ({ keys, uses, want }) => {
  expect(await unmovedIn({ keyUses: () => Promise.resolve(uses) }, keys)).toEqual(want);
});
