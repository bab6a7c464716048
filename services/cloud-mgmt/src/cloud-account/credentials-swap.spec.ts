import { unavailable } from '@crate/errors';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { accountTrouble, credentialsRejected } from '../provider/credentials-rejected.js';
import { aContext, InMemoryCloud, NAMESPACE } from '../testing/in-memory-cloud.js';
import { CloudAccountReconciler } from './cloud-account.reconciler.js';

const KEY = { namespace: NAMESPACE, name: 'sandbox' };
const OLD = { accessKeyId: 'AKIAOLD', secretAccessKey: 'old-secret-key' };
const NEW = { accessKeyId: 'AKIANEW', secretAccessKey: 'new-secret-key' };

let cloud: InMemoryCloud;
let reconciler: CloudAccountReconciler;

beforeEach(async () => {
  cloud = new InMemoryCloud();
  const { accounts, infrastructures, credentials, providers, events } = cloud;
  const onReady = (): Promise<void> => Promise.resolve();
  const parts = { accounts, infrastructures, credentials, providers, events };
  const forgetSweeps = (): Promise<void> => Promise.resolve();
  reconciler = new CloudAccountReconciler({ ...parts, forgetSweeps, onReady });
  await cloud.ensureAccount({ credentials: OLD });
  await reconciler.reconcile(KEY, aContext());
  cloud.provider.accesses.splice(0);
});

function reasons(): readonly string[] {
  return cloud.events.events.map(({ reason }) => reason);
}

async function inUse(): Promise<unknown> {
  const account = await cloud.accounts.find(KEY.name, KEY.namespace);
  return account && cloud.credentials.find(account);
}

describe('replacing the credentials of a CloudAccount', () => {
  it('asks the provider first, then uses the new ones and tells so', async () => {
    await cloud.ensureAccount({ credentials: NEW });
    expect(cloud.provider.accesses).toEqual([expect.objectContaining({ credentials: NEW })]);
    expect(await inUse()).toEqual(NEW);
    await reconciler.reconcile(KEY, aContext());
    expect(reasons()).toContain('CredentialsReplaced');
    const account = await cloud.accounts.find(KEY.name, KEY.namespace);
    expect(account?.status?.credentialsFingerprint).toBe(account?.spec.credentialsFingerprint);
  });

  it('refuses ones that the provider rejects, names the field, and goes on with the old ones', async () => {
    cloud.provider.failure = credentialsRejected('AWS rejected the credentials: InvalidClientTokenId');
    const write = cloud.ensureAccount({ credentials: NEW });
    await expect(write).rejects.toMatchObject({
      code: 'InvalidSpec',
      details: {
        reason: 'CredentialsRejected',
        causes: [{ field: 'spec.credentials', message: expect.stringContaining('InvalidClientTokenId') }],
      },
    });
    expect(await inUse()).toEqual(OLD);
    expect(reasons()).toContain('CredentialsRefused');
    expect(JSON.stringify(cloud.events.events)).not.toContain(NEW.secretAccessKey);
  });

  it.each([
    { reason: 'AccountBlocked', remedy: 'support' },
    { reason: 'NotSubscribed', remedy: 'Enable' },
    { reason: 'AccountPending', remedy: 'within hours' },
  ] as const)(
    'refuses ones of an account that is $reason for good, and blames the account',
    async ({ reason, remedy }) => {
      cloud.provider.failure = accountTrouble(reason, 'Ask AWS');
      const write = cloud.ensureAccount({ credentials: NEW });
      await expect(write).rejects.toMatchObject({
        code: 'InvalidSpec',
        details: {
          reason,
          remedy: expect.stringMatching(`${remedy}.*; then apply again$`),
          causes: [{ field: 'spec.accountId', message: expect.stringContaining('Ask AWS') }],
        },
      });
      expect(await inUse()).toEqual(OLD);
      expect(reasons()).toContain('CredentialsRefused');
    },
  );

  it('refuses ones that it cannot ask about', async () => {
    cloud.provider.failure = unavailable('The sandbox does not answer');
    const write = cloud.ensureAccount({ credentials: NEW });
    await expect(write).rejects.toMatchObject({ code: 'Unavailable', details: { reason: 'CredentialsNotTested' } });
    expect(await inUse()).toEqual(OLD);
  });

  it('asks nobody when they are the same, or when none are given', async () => {
    cloud.provider.failure = credentialsRejected('rejected');
    await cloud.ensureAccount({ credentials: OLD });
    await cloud.accounts.merge(KEY.name, KEY.namespace, { metadata: { labels: { a: 'b' } } });
    expect(cloud.provider.accesses).toEqual([]);
  });

  it('takes the first ones of an account untested: there is nothing that they could break', async () => {
    cloud.provider.failure = credentialsRejected('rejected');
    const account = await cloud.ensureAccount({ credentials: NEW }, { name: 'other' });
    expect(account.spec.credentialsFingerprint).toBeDefined();
  });

  it('tells of no replacement when a person looks at the account only', async () => {
    await cloud.accounts.merge(KEY.name, KEY.namespace, { metadata: { labels: { a: 'b' } } });
    await reconciler.reconcile(KEY, aContext());
    expect(reasons()).not.toContain('CredentialsReplaced');
  });
});
