import { findCondition, type Infrastructure } from '@crate/api';
import { unavailable } from '@crate/errors';
import { InMemoryLogger } from '@crate/telemetry';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { CloudProviders } from '../provider/cloud-providers.js';
import { credentialsRejected } from '../provider/credentials-rejected.js';
import { providerUnavailable } from '../provider/provider-unavailable.js';
import { aContext, InMemoryCloud, NAMESPACE } from '../testing/in-memory-cloud.js';
import { CloudAccountReconciler } from './cloud-account.reconciler.js';

const key = { namespace: NAMESPACE, name: 'sandbox' };
const credentials = { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'very-secret-key' };

let cloud: InMemoryCloud;
let woken: Infrastructure[];
let forgotten: string[];
/** The database is older than the world, and nobody has confirmed. */
let isRecovering: boolean;
let logger: InMemoryLogger;
/** Comes between, when what is kept about sweeps is forgotten. */
let meanwhile: () => Promise<unknown>;
let reconciler: CloudAccountReconciler;

beforeEach(() => {
  meanwhile = () => Promise.resolve();
  cloud = new InMemoryCloud();
  woken = [];
  forgotten = [];
  isRecovering = false;
  logger = new InMemoryLogger();
  reconciler = new CloudAccountReconciler({
    accounts: cloud.accounts,
    infrastructures: cloud.infrastructures,
    credentials: cloud.credentials,
    providers: new CloudProviders({ 'sandbox-aws': cloud.provider }),
    forgetSweeps: async ({ metadata }) => {
      forgotten.push(metadata.name);
      await meanwhile();
    },
    onReady: async (users) => void woken.push(...users),
    recovery: { isClosed: () => Promise.resolve(isRecovering) },
    events: cloud.events,
    logger,
  });
});

afterEach(() => void jest.useRealTimers());

async function condition(type = 'Ready'): Promise<Record<string, unknown> | undefined> {
  const account = await cloud.accounts.find('sandbox', NAMESPACE);
  return findCondition(account?.status?.conditions, type) as Record<string, unknown> | undefined;
}

describe('CloudAccountReconciler', () => {
  it('has nothing to do for an account that is gone', async () => {
    expect(await reconciler.reconcile(key, aContext())).toMatchObject({ kind: 'settled', isGone: true });
  });

  it('asks the provider with the stored credentials, and wakes who waits for the account', async () => {
    await cloud.ensureAccount({ accountId: '123456789012', credentials });
    await cloud.ensureInfrastructure('demo');

    expect(await reconciler.reconcile(key, aContext())).toEqual({ kind: 'settled' });
    expect(cloud.provider.accesses).toEqual([{ accountId: '123456789012', credentials, region: 'us-east-1' }]);
    expect(await condition()).toMatchObject({ status: 'True', reason: 'Ready' });
    expect(woken.map(({ metadata }) => metadata.name)).toEqual(['demo']);
  });

  it('writes nothing and wakes nobody in a second pass', async () => {
    await cloud.ensureAccount();
    await reconciler.reconcile(key, aContext());
    const before = await cloud.store.currentRevision();
    woken = [];
    await reconciler.reconcile(key, aContext());

    expect(await cloud.store.currentRevision()).toBe(before);
    expect(woken).toEqual([]);
  });

  it.each([
    {
      name: 'rejected credentials',
      failure: credentialsRejected('AWS rejected the credentials: InvalidClientTokenId'),
      want: {
        status: 'False',
        reason: 'CredentialsRejected',
        message: expect.stringContaining('Set valid credentials'),
      },
    },
    {
      name: 'a provider that does not answer',
      failure: unavailable('The sandbox does not answer'),
      want: { status: 'Unknown', reason: 'ConnectionDown' },
    },
    {
      name: 'a provider in trouble',
      failure: providerUnavailable('AWS answered sts:GetCallerIdentity with ServiceUnavailable'),
      want: { status: 'Unknown', reason: 'ProviderUnavailable' },
    },
  ])('tells $name, looks again soon, and recovers', async ({ failure, want }) => {
    await cloud.ensureAccount({ credentials });
    cloud.provider.failure = failure;

    expect(await reconciler.reconcile(key, aContext())).toMatchObject({ kind: 'waiting' });
    expect(await condition()).toMatchObject(want);
    expect(await condition('Synced')).toMatchObject({ status: 'False' });

    cloud.provider.failure = undefined;
    await reconciler.reconcile(key, aContext());
    expect(await condition()).toMatchObject({ status: 'True' });
  });

  it('logs why nobody answers, once for each cause', async () => {
    await cloud.ensureAccount({ credentials });
    const unknown = unavailable('AWS does not answer (ENOTFOUND)');
    const closed = unavailable('AWS does not answer (ECONNREFUSED)');
    for (const failure of [unknown, unknown, closed]) {
      cloud.provider.failure = failure;
      await reconciler.reconcile(key, aContext());
    }

    expect(logger.lines.map(({ level, fields }) => [level, fields['error']])).toEqual([
      ['warn', unknown],
      ['warn', closed],
    ]);
  });

  it('tells that the provider is not offered', async () => {
    await cloud.ensureAccount({ provider: 'aws' });
    await reconciler.reconcile(key, aContext());

    expect(await condition()).toMatchObject({ status: 'False', reason: 'ProviderNotOffered' });
  });

  it('removes credentials an hour after others took their place, and not those that came back meanwhile', async () => {
    const other = { ...credentials, secretAccessKey: 'another-secret-key' };
    const first = await cloud.ensureAccount({ credentials });
    const second = await cloud.accounts.merge('sandbox', NAMESPACE, { spec: { credentials: other } });
    await reconciler.reconcile(key, aContext());
    expect(await cloud.credentials.find(first)).toEqual(credentials);

    jest.useFakeTimers({ now: Date.now() + 2 * 3_600_000, doNotFake: ['nextTick', 'setImmediate', 'setTimeout'] });
    cloud.provider.failure = unavailable('The provider does not answer');
    await reconciler.reconcile(key, aContext());
    expect(await cloud.credentials.find(first)).toEqual(credentials);
    cloud.provider.failure = undefined;
    // Admitted, and not written yet.
    await cloud.credentials.put(first.metadata, credentials, second.spec.credentialsFingerprint);
    await reconciler.reconcile(key, aContext());
    expect(await cloud.credentials.find(first)).toEqual(credentials);

    jest.setSystemTime(Date.now() + 2 * 3_600_000);
    await reconciler.reconcile(key, aContext());
    expect([await cloud.credentials.find(first), await cloud.credentials.find(second)]).toEqual([undefined, other]);
  });

  it('keeps credentials of long ago for an hour after others took their place', async () => {
    const first = await cloud.ensureAccount({ credentials });
    jest.useFakeTimers({ now: Date.now() + 2 * 3_600_000, doNotFake: ['nextTick', 'setImmediate', 'setTimeout'] });
    const other = { ...credentials, secretAccessKey: 'another-secret-key' };
    await cloud.accounts.merge('sandbox', NAMESPACE, { spec: { credentials: other } });
    await reconciler.reconcile(key, aContext());
    expect(await cloud.credentials.find(first)).toEqual(credentials);

    jest.setSystemTime(Date.now() + 2 * 3_600_000);
    await reconciler.reconcile(key, aContext());
    expect(await cloud.credentials.find(first)).toBeUndefined();
  });

  it('removes the credentials with the account, and what was kept about its sweeps', async () => {
    await cloud.ensureAccount({ credentials });
    await cloud.accounts.remove('sandbox', NAMESPACE);
    await reconciler.reconcile(key, aContext());

    expect(await cloud.accounts.find('sandbox', NAMESPACE)).toBeUndefined();
    expect(await cloud.secrets.countOwners()).toBe(0);
    expect(forgotten).toEqual(['sandbox']);
  });

  it('leaves those of the next account of the name alone when another pass has ended the deletion meanwhile', async () => {
    await cloud.ensureAccount({ credentials });
    await cloud.accounts.remove('sandbox', NAMESPACE);
    meanwhile = async () => {
      await cloud.accounts.merge('sandbox', NAMESPACE, { metadata: { finalizers: [] } });
      await cloud.ensureAccount({ credentials });
    };
    expect(await reconciler.reconcile(key, aContext())).toEqual({ kind: 'settled' });

    const next = await cloud.accounts.find('sandbox', NAMESPACE);
    expect(next?.metadata.deletionTimestamp).toBeUndefined();
    expect(await cloud.credentials.find(next!)).toEqual(credentials);
  });

  it('keeps an account that came into use after its deletion was admitted, and says by what', async () => {
    await cloud.ensureAccount({ credentials });
    await cloud.accounts.remove('sandbox', NAMESPACE);
    await cloud.ensureInfrastructure('late');

    expect(await reconciler.reconcile(key, aContext())).toMatchObject({ kind: 'waiting', reason: 'WaitingForUsers' });
    expect(await condition('Deleting')).toMatchObject({ message: expect.stringContaining('late') });
    expect(await cloud.secrets.countOwners()).toBe(1);
    expect(forgotten).toEqual([]);
  });

  it('says what holds a deletion after a restore, with one event, and goes on once it is confirmed', async () => {
    await cloud.ensureAccount({ credentials });
    await reconciler.reconcile(key, aContext());
    await cloud.accounts.remove('sandbox', NAMESPACE);
    isRecovering = true;
    const held = { code: 'Forbidden', details: { reason: 'Recovering' } };
    await expect(reconciler.reconcile(key, aContext())).rejects.toMatchObject(held);
    await expect(reconciler.reconcile(key, aContext())).rejects.toMatchObject(held);

    const want = { reason: 'Recovering', message: expect.stringContaining('crate recovery confirm') };
    expect([await condition(), await condition('Deleting')]).toMatchObject([
      { ...want, status: 'False' },
      { ...want, status: 'True' },
    ]);
    expect(cloud.events.reasons.filter((told) => told.endsWith(' Recovering'))).toEqual(['Warning Recovering']);
    expect(forgotten).toEqual([]);

    isRecovering = false;
    expect(await reconciler.reconcile(key, aContext())).toEqual({ kind: 'settled' });
    expect(await cloud.accounts.find('sandbox', NAMESPACE)).toBeUndefined();
  });
});
