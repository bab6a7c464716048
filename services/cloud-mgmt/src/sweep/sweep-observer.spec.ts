import { describe, expect, it } from '@jest/globals';
import type { CloudAccount } from '@crate/api';
import type { ListingOptions } from '../provider/cloud-provider.js';
import { SweepObserver, type SweepObserverParts } from './sweep-observer.js';

const REGIONS = ['ap-south-1', 'eu-west-1', 'us-east-1'];
const ACCOUNT = {
  metadata: { name: 'main', namespace: 'team-a' },
  spec: { provider: 'aws', accountId: '123456789012' },
  status: { sweep: { regions: REGIONS } },
} as unknown as CloudAccount;

describe('a sweep', () => {
  it('has what is global listed once, however many regions there are', async () => {
    const asked: [region: string, regionalOnly: boolean | undefined][] = [];
    const nothing = { list: () => Promise.resolve([]) };
    const listByTag = (access: { region: string }, _tag: unknown, _signal: unknown, options?: ListingOptions) => {
      asked.push([access.region, options?.regionalOnly]);
      return Promise.resolve([]);
    };
    const parts = {
      ...{ installationId: 'i', records: nothing, infrastructures: nothing, accounts: nothing, now: () => new Date() },
      credentials: { find: () => Promise.resolve(undefined) },
      providers: { get: () => ({ listByTag }) },
    } as unknown as SweepObserverParts;

    await new SweepObserver(parts).observe(ACCOUNT, new AbortController().signal);
    expect(asked).toEqual([
      ['ap-south-1', false],
      ['eu-west-1', true],
      ['us-east-1', true],
    ]);
  });
});
