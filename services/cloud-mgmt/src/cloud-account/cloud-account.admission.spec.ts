import { CLOUD_ACCOUNT, type CloudAccount } from '@crate/api';
import { describe, expect, it } from '@jest/globals';
import { InMemoryCloud, NAMESPACE, PERSON } from '../testing/in-memory-cloud.js';
import { fingerprintOf } from './account-credentials.js';
import { CLOUD_ACCOUNT_FINALIZER } from './cloud-account.finalizer.js';

const credentials = { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'very-secret-key' };
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

async function everythingStored(cloud: InMemoryCloud): Promise<string> {
  return JSON.stringify(await cloud.store.list({ group: CLOUD_ACCOUNT.group, kind: CLOUD_ACCOUNT.kind }));
}

describe('writing a CloudAccount', () => {
  it('stores credentials encrypted only, and shows their fingerprint', async () => {
    const cloud = new InMemoryCloud();
    const account = await cloud.ensureAccount({ credentials });

    expect(account.spec).toMatchObject({ provider: 'sandbox-aws', credentialsFingerprint: expect.any(String) });
    expect(await everythingStored(cloud)).not.toContain('very-secret-key');
    expect(await cloud.credentials.find(account)).toEqual(credentials);
  });

  it('takes them out of the copy that kubectl keeps', async () => {
    const cloud = new InMemoryCloud();
    const copy = JSON.stringify({ kind: 'CloudAccount', spec: { provider: 'sandbox-aws', credentials } });
    const account = await cloud.createAccount({
      metadata: { name: 'sandbox', namespace: NAMESPACE, annotations: { [LAST_APPLIED]: copy, other: 'kept' } },
      spec: { provider: 'sandbox-aws', credentials },
    });

    expect(JSON.parse(account.metadata.annotations?.[LAST_APPLIED] ?? '')).toEqual({
      kind: 'CloudAccount',
      spec: { provider: 'sandbox-aws' },
    });
    expect(account.metadata.annotations?.['other']).toBe('kept');
    expect(await everythingStored(cloud)).not.toContain('very-secret-key');
  });

  it('drops a copy that it cannot read: it might hold anything', async () => {
    const cloud = new InMemoryCloud();
    const account = await cloud.createAccount({
      metadata: { name: 'sandbox', namespace: NAMESPACE, annotations: { [LAST_APPLIED]: '{"very-secret-key' } },
      spec: { provider: 'sandbox-aws' },
    });

    expect(account.metadata.annotations ?? {}).toEqual({});
  });

  it('changes nothing when the same is applied again', async () => {
    const cloud = new InMemoryCloud();
    const first = await cloud.ensureAccount({ credentials });
    const second = await cloud.ensureAccount({ credentials });

    expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
  });

  it('keeps the credentials when a later write does not name them, and takes new ones over', async () => {
    const cloud = new InMemoryCloud();
    const first = await cloud.ensureAccount({ credentials });
    const patched = await cloud.accounts.merge('sandbox', NAMESPACE, { spec: { accountId: '123456789012' } });
    expect(patched.spec.credentialsFingerprint).toBe(first.spec.credentialsFingerprint);

    const other = { ...credentials, secretAccessKey: 'another-secret-key' };
    const changed = await cloud.accounts.merge('sandbox', NAMESPACE, { spec: { credentials: other } });
    expect(changed.spec.credentialsFingerprint).not.toBe(first.spec.credentialsFingerprint);
    expect(await cloud.credentials.find(changed)).toEqual(other);
  });

  it('shows by the own fields of who applies credentials that others are stated, which are theirs who stated them last', async () => {
    const { api } = new InMemoryCloud();
    const apply = async (manager: string, spec: object, dryRun = false): Promise<CloudAccount> => {
      const document = { apiVersion: 'cloud.crate.dev/v1alpha1', kind: 'CloudAccount', spec };
      const options = { type: 'apply', fieldManager: manager, dryRun } as const;
      const ref = { ...CLOUD_ACCOUNT, namespace: NAMESPACE, name: 'sandbox' };
      return (await api.patch(ref, document, options, PERSON)).object as CloudAccount;
    };
    const shown = ({ metadata: { managedFields = [] }, spec }: CloudAccount): unknown[] => {
      const owners = managedFields.filter(({ fieldsV1 }) => JSON.stringify(fieldsV1).includes('Fingerprint'));
      return [spec.credentialsFingerprint, ...owners.map(({ manager }) => manager)];
    };
    const other = { ...credentials, secretAccessKey: 'another-secret-key' };
    const [one, two] = [fingerprintOf(credentials), fingerprintOf(other)];
    const document = { provider: 'sandbox-aws', credentials };

    const first = await apply('argocd-controller', document);
    expect(shown(first)).toEqual([one, 'argocd-controller']);
    expect(await apply('argocd-controller', document)).toEqual(first);
    const rotated = await apply('argocd-controller', { ...document, credentials: other }, true);
    expect(shown(rotated)).toEqual([two, 'argocd-controller']);
    expect(shown(await apply('ci', { credentials }))).toEqual([one, 'argocd-controller', 'ci']);
    expect(shown(await apply('ci', { credentials: other }))).toEqual([two, 'ci']);
    expect(shown(await apply('ci', { sweep: {} }))).toEqual([two]);
  });

  it('lets nobody point an account at credentials by hand', async () => {
    const cloud = new InMemoryCloud();
    const made = await cloud.ensureAccount({ credentialsFingerprint: 'made-up' });
    expect(made.spec.credentialsFingerprint).toBeUndefined();

    const { spec } = await cloud.ensureAccount({ credentials });
    const patched = await cloud.accounts.merge('sandbox', NAMESPACE, { spec: { credentialsFingerprint: 'made-up' } });
    expect(patched.spec.credentialsFingerprint).toBe(spec.credentialsFingerprint);
  });

  it('does not touch the credentials in use when a create is refused because the name is taken', async () => {
    const cloud = new InMemoryCloud();
    const account = await cloud.ensureAccount({ credentials });
    const foreign = { accessKeyId: 'AKIAOTHER', secretAccessKey: 'foreign-secret' };
    const spec = { provider: 'sandbox-aws', credentials: foreign };
    const create = cloud.createAccount({ metadata: { name: 'sandbox', namespace: NAMESPACE }, spec });

    await expect(create).rejects.toMatchObject({ code: 'AlreadyExists' });
    expect(await cloud.credentials.find(account)).toEqual(credentials);
    const asRefused = { ...account, spec: { ...account.spec, credentialsFingerprint: fingerprintOf(foreign) } };
    expect(await cloud.credentials.find(asRefused)).toBeUndefined();
  });

  it('refuses a key of AWS that ends within hours, whether it comes first or later', async () => {
    const cloud = new InMemoryCloud();
    const temporary = { accessKeyId: 'ASIAEXAMPLE', secretAccessKey: 'very-secret-key' };
    const metadata = { name: 'production', namespace: NAMESPACE };
    const spec = { provider: 'aws', accountId: '123456789012' };
    const refused = {
      code: 'InvalidSpec',
      message: expect.stringContaining('spec.credentials.accessKeyId'),
      details: { reason: 'CredentialsTemporary', field: 'spec.credentials.accessKeyId' },
    };

    await expect(cloud.createAccount({ metadata, spec: { ...spec, credentials: temporary } })).rejects.toMatchObject(
      refused,
    );
    await cloud.createAccount({ metadata, spec: { ...spec, credentials } });
    const changed = cloud.accounts.merge('production', NAMESPACE, { spec: { credentials: temporary } });
    await expect(changed).rejects.toMatchObject(refused);
    await cloud.ensureAccount({ credentials: temporary });
  });

  it('stores nothing in a dry run', async () => {
    const cloud = new InMemoryCloud();
    const object = {
      metadata: { name: 'sandbox', namespace: NAMESPACE },
      spec: { provider: 'sandbox-aws', credentials },
    };
    const account = await cloud.createAccount(object, true);

    expect(account.spec.credentialsFingerprint).toBeDefined();
    expect(await cloud.secrets.countOwners()).toBe(0);
  });

  it.each([
    { what: 'an expression', boundary: 'arn:aws:iam::123456789012:policy/${file("/proc/1/environ")}' },
    { what: 'a directive', boundary: 'arn:aws:iam::123456789012:policy/%{if/**/true}' },
    { what: 'a blank', boundary: 'arn:aws:iam::123456789012:policy/a b' },
    { what: 'nothing but a path', boundary: 'arn:aws:iam::123456789012:policy/teams/' },
    { what: 'more than AWS takes', boundary: `arn:aws:iam::123456789012:policy/${'a/'.repeat(1_024)}a` },
  ])('takes no permissions boundary that is $what', async ({ boundary }) => {
    const cloud = new InMemoryCloud();
    const field = 'spec.permissionsBoundary';
    await expect(cloud.ensureAccount({ permissionsBoundary: boundary })).rejects.toMatchObject({
      code: 'InvalidSpec',
      details: { causes: [{ field }] },
    });
  });

  it.each(['crate-machine-boundary', 'teams/a-1/b_2+=,.@c'])('takes the permissions boundary %s', async (name) => {
    const permissionsBoundary = `arn:aws:iam::123456789012:policy/${name}`;
    const { spec } = await new InMemoryCloud().ensureAccount({ permissionsBoundary });
    expect(spec.permissionsBoundary).toBe(permissionsBoundary);
  });

  it('holds the account from the first write on, so that its credentials go before its name does', async () => {
    const account = await new InMemoryCloud().ensureAccount();

    expect(account.metadata.finalizers).toEqual([CLOUD_ACCOUNT_FINALIZER]);
  });

  it('lets nobody give it an owner, with which it would go while clusters use it', async () => {
    const cloud = new InMemoryCloud();
    await cloud.ensureAccount({ credentials });
    const other = await cloud.createAccount({
      metadata: { name: 'other', namespace: NAMESPACE },
      spec: { provider: 'sandbox-aws' },
    });
    const { apiVersion, kind, metadata } = other;
    const owner = { apiVersion, kind, name: metadata.name, uid: metadata.uid };
    const owned = cloud.accounts.merge('sandbox', NAMESPACE, { metadata: { ownerReferences: [owner] } });

    await expect(owned).rejects.toMatchObject({
      code: 'InvalidSpec',
      details: { causes: [{ field: 'metadata.ownerReferences', reason: 'FieldValueForbidden' }] },
    });
    await cloud.accounts.remove('other', NAMESPACE);
    const kept = await cloud.accounts.find('sandbox', NAMESPACE);
    expect(kept).toBeDefined();
    expect(kept?.metadata.deletionTimestamp).toBeUndefined();
  });

  it('takes a document back with the owner that it has had', async () => {
    const cloud = new InMemoryCloud();
    const account = await cloud.ensureAccount({ credentials });
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: 'uid-of-another-store' };
    const owned = { ...account, metadata: { ...account.metadata, ownerReferences: [owner] } };
    await cloud.store.update(owned);
    const patched = await cloud.accounts.merge('sandbox', NAMESPACE, { metadata: { labels: { a: 'b' } } });

    expect(patched.metadata).toMatchObject({ labels: { a: 'b' }, ownerReferences: [owner] });
  });

  it('keeps its finalizer, whatever a person states', async () => {
    const cloud = new InMemoryCloud();
    await cloud.ensureAccount({ credentials });
    const patched = await cloud.ofPeople.merge('sandbox', NAMESPACE, { metadata: { finalizers: null } });
    expect(patched.metadata.finalizers).toEqual([CLOUD_ACCOUNT_FINALIZER]);
  });
});

describe('deleting a CloudAccount', () => {
  it('is refused while Infrastructures use it, naming them', async () => {
    const cloud = new InMemoryCloud();
    await cloud.ensureAccount();
    await cloud.ensureInfrastructure('one');
    await cloud.ensureInfrastructure('other', { accountRef: { name: 'another' } });

    const refused: unknown = await cloud.accounts.remove('sandbox', NAMESPACE).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'Conflict', message: expect.stringContaining('one') });
    expect((refused as Error).message).not.toContain('other');
  });

  it.each([
    {
      reason: 'what is abandoned is still to be removed with its credentials',
      decision: 'remove',
      mode: 'remove',
      isRefused: true,
    },
    { reason: 'a person said that it may stay', decision: 'remove', mode: 'report', isRefused: false },
    { reason: 'what is only told is nobody’s to remove', decision: 'report', mode: 'remove', isRefused: false },
  ] as const)('is refused: $isRefused, because $reason', async ({ decision, mode, isRefused }) => {
    const cloud = new InMemoryCloud();
    const account = await cloud.ensureAccount({ sweep: { mode } });
    const finding = {
      type: 'aws_vpc',
      id: 'vpc-1',
      region: 'us-east-1',
      owner: { uid: 'u1' },
      since: '2026-03-01T12:00:00Z',
      decision,
      reason: 'OwnerDeleted',
      message: '',
    };
    await cloud.accounts.saveStatus(account, { sweep: { regions: ['us-east-1'], findings: [finding], omitted: 0 } });
    const refused: unknown = await cloud.accounts.remove('sandbox', NAMESPACE).catch((error: unknown) => error);

    const want = { code: 'Conflict', details: { reason: 'OrphansLeft' }, message: expect.stringContaining('vpc-1') };
    if (isRefused) expect(refused).toMatchObject(want);
    else expect(refused).not.toBeInstanceOf(Error);
  });

  it('is allowed when nothing uses it', async () => {
    const cloud = new InMemoryCloud();
    await cloud.ensureAccount();

    expect((await cloud.accounts.remove('sandbox', NAMESPACE))?.metadata.deletionTimestamp).toBeDefined();
  });
});

describe('making a CloudAccount another account at the provider', () => {
  const move = (cloud: InMemoryCloud, spec: object): Promise<unknown> =>
    cloud.accounts.merge('sandbox', NAMESPACE, { spec }).catch((error: unknown) => error);
  const finding = {
    type: 'aws_vpc',
    id: 'vpc-1',
    region: 'us-east-1',
    owner: { uid: 'u1' },
    since: '2026-03-01T12:00:00Z',
    decision: 'remove',
    reason: 'OwnerDeleted',
    message: '',
  } as const;
  const swept = { sweep: { regions: ['us-east-1'], findings: [finding], omitted: 0 } };

  it.each([
    { field: 'spec.accountId', spec: { accountId: '123456789012' } },
    { field: 'spec.provider', spec: { provider: 'aws' } },
  ])('is refused while Infrastructures use it: $field', async ({ field, spec }) => {
    const cloud = new InMemoryCloud();
    await cloud.ensureAccount();
    await cloud.ensureInfrastructure('one');

    expect(await move(cloud, spec)).toMatchObject({
      code: 'InvalidSpec',
      details: { reason: 'InUse', causes: [{ field, message: expect.stringContaining('Infrastructure one') }] },
    });
  });

  it('is refused while what nobody owns is to be removed there, unless that may stay', async () => {
    const cloud = new InMemoryCloud();
    await cloud.accounts.saveStatus(await cloud.ensureAccount({ sweep: { mode: 'remove' } }), swept);

    expect(await move(cloud, { accountId: '123456789012' })).toMatchObject({
      code: 'InvalidSpec',
      message: expect.stringContaining('aws_vpc vpc-1'),
    });
    expect(await move(cloud, { accountId: '123456789012', sweep: { mode: 'report' } })).not.toBeInstanceOf(Error);
  });

  it('leaves every other change of an account in use alone', async () => {
    const cloud = new InMemoryCloud();
    await cloud.ensureAccount();
    await cloud.ensureInfrastructure('one');

    expect(await move(cloud, { credentials })).not.toBeInstanceOf(Error);
  });

  it('puts right what was typed wrong: no keys of it were ever accepted, so that nothing can be there', async () => {
    const cloud = new InMemoryCloud();
    const account = await cloud.ensureAccount({ provider: 'aws', credentials });
    await cloud.ensureInfrastructure('one');

    expect(await move(cloud, { accountId: '123456789012' })).not.toBeInstanceOf(Error);
    const accepted = { credentialsFingerprint: account.spec.credentialsFingerprint ?? '' };
    const found = await cloud.accounts.find('sandbox', NAMESPACE);
    if (found) await cloud.accounts.saveStatus(found, accepted);
    expect(await move(cloud, { accountId: '999999999999' })).toMatchObject({ code: 'InvalidSpec' });
  });
});
