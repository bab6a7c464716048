import type { CloudAccount } from '@crate/api';
import { unavailable } from '@crate/errors';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { aCluster } from '../testing/a-cluster.js';
import { AccountProviders } from './account-providers.js';

const MINUTE_MS = 60_000;

let asked: string[];
let provider: string | undefined;
let nowMs: number;
let providers: AccountProviders;
beforeEach(() => {
  [asked, provider, nowMs] = [[], 'aws', 0];
  const find = (name: string, namespace?: string): Promise<CloudAccount | undefined> => {
    asked.push(`${namespace}/${name}`);
    return Promise.resolve(provider === undefined ? undefined : ({ spec: { provider } } as CloudAccount));
  };
  providers = new AccountProviders({ find }, () => nowMs);
});

describe('AccountProviders', () => {
  it('asks once in a while', async () => {
    expect(await providers.of(aCluster())).toBe('aws');
    provider = 'sandbox-aws';
    nowMs += 9 * MINUTE_MS;
    expect(await providers.of(aCluster())).toBe('aws');
    nowMs += MINUTE_MS;
    expect(await providers.of(aCluster())).toBe('sandbox-aws');
    expect(asked).toEqual(['team-a/sandbox', 'team-a/sandbox']);
  });

  it('does not look twice at once', async () => {
    const account = { spec: { provider: 'aws' } } as CloudAccount;
    expect(await providers.of(aCluster(), Promise.resolve(account))).toBe('aws');
    expect(await providers.of(aCluster())).toBe('aws');
    expect(asked).toEqual([]);
  });

  it('keeps neither an account that is not there nor a look that failed', async () => {
    provider = undefined;
    expect(await providers.of(aCluster())).toBeUndefined();
    const failed = Promise.reject(unavailable('cloud-mgmt is away'));
    await expect(providers.of(aCluster(), failed)).rejects.toMatchObject({ code: 'Unavailable' });
    provider = 'aws';
    expect(await providers.of(aCluster())).toBe('aws');
  });
});
