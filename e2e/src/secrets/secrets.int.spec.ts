import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CloudAccount, Infrastructure } from '@crate/api';
import { CratePlatform, eventually, PlatformScan, SecretScan, type Canary } from '@crate/testing';
import { CrateUser } from '../crate-user.js';
import { everyAnswer } from './every-answer.js';
import { keysIn, madeSecrets } from './made-secrets.js';

const ACCOUNT = { apiVersion: 'cloud.crate.dev/v1alpha1', kind: 'CloudAccount', namespace: 'team-a', name: 'sandbox' };
const INFRASTRUCTURES = 'cloud.crate.dev/v1alpha1';

interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

let platform: CratePlatform;
let user: CrateUser;
let scan: PlatformScan;
const planted: Canary[] = [];
/** What the API and the command line say, by who says it. */
/** Before credentials and keys were replaced and clusters deleted, and after it. */
const said: ReadonlyMap<string, string>[] = [];
const made = new Map<string, Canary>();
const first = credentials('FIRST');
const second = credentials('SECOND');

beforeAll(async () => {
  // Debug logs say most, and old secrets must not hide behind a rotation.
  platform = await CratePlatform.start({ settings: { CRATE_LOG_LEVEL: 'debug' } });
  user = await CrateUser.of(platform);
  scan = await PlatformScan.listen(platform);
});
afterAll(async () => {
  scan?.stop();
  await platform?.remove();
});

/** A secret with every character that encodings treat in their own ways. */
function credentials(name: string): Credentials {
  const secretAccessKey = `${randomBytes(18).toString('base64')}/+=&?% ${name}`;
  planted.push({ name: `secret key ${name}`, value: secretAccessKey });
  return { accessKeyId: `AKIA${name}`, secretAccessKey };
}

async function applyAccount(offered: Credentials, annotations: Record<string, string> = {}): Promise<void> {
  const document = {
    apiVersion: ACCOUNT.apiVersion,
    kind: ACCOUNT.kind,
    metadata: { name: ACCOUNT.name, namespace: ACCOUNT.namespace, annotations },
    spec: { provider: 'sandbox-aws', accountId: '111122223333', credentials: offered },
  };
  // As kubectl apply does, which keeps a copy of the whole document.
  const copy = JSON.stringify(document);
  const withCopy = { 'kubectl.kubernetes.io/last-applied-configuration': copy, ...annotations };
  await user.apply({ ...document, metadata: { ...document.metadata, annotations: withCopy } });
}

async function applyChannel(name: string, spec: object): Promise<void> {
  const metadata = { name, namespace: 'team-a' };
  const document = { apiVersion: 'lifecycle.crate.dev/v1alpha1', kind: 'NotificationChannel', metadata, spec };
  const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(document) };
  await user.apply({ ...document, metadata: { ...metadata, annotations } });
}

async function account(): Promise<CloudAccount> {
  return (await user.api.get(ACCOUNT)) as CloudAccount;
}

async function infrastructure(): Promise<Infrastructure> {
  const { items } = await user.api.list(INFRASTRUCTURES, 'Infrastructure', { namespace: 'team-a' });
  const found = items.find(({ metadata }) => metadata.name.startsWith('demo'));
  if (!found) throw new Error('There is no Infrastructure');
  return found as Infrastructure;
}

/** Lines of private keys: long enough to be told from chance in any file, and few enough to be looked for in all. */
function keysAmong(secrets: ReadonlyMap<string, Canary>): readonly Canary[] {
  return [...secrets.values()].filter(({ name }) => name.includes(', line ')).slice(0, 40);
}

async function remember(): Promise<void> {
  for (const canary of await madeSecrets(platform)) made.set(canary.value, canary);
}

/** A key that is kept nowhere is a secret as well. */
async function handOut(): Promise<void> {
  const keys = keysIn('key of a kubeconfig', await platform.crate('kubeconfig', 'demo', '-n', 'team-a'));
  expect(keys).not.toEqual([]);
  planted.push(...keys);
}

async function eventReasons(): Promise<readonly string[]> {
  const { items } = await user.api.list('events.k8s.io/v1', 'Event', { namespace: 'team-a' });
  return items.map((event) => String((event as unknown as { reason?: string }).reason));
}

describe('secrets', () => {
  it('go in with an account and an API key, and work', async () => {
    await user.apply({
      apiVersion: 'lifecycle.crate.dev/v1alpha1',
      kind: 'Project',
      metadata: { name: 'team-a' },
      spec: {},
    });
    await applyAccount(first);
    const { spec } = await account();
    expect(spec).not.toHaveProperty('credentials');
    expect(spec.credentialsFingerprint).toBeDefined();

    const created = await platform.crate('keys', 'create', 'ci', '-n', 'team-a', '--role', 'viewer');
    const token = /crate_[A-Za-z0-9_-]+/.exec(created)?.[0] ?? created.trim().split(/\s+/).at(-1) ?? '';
    expect(token.length).toBeGreaterThan(20);
    planted.push(
      { name: 'API key token', value: token },
      { name: 'half of an API key token', value: token.slice(-20) },
    );
  });

  it('go in with channels of notifications, which nobody answers', async () => {
    const { secretAccessKey: signing } = credentials('SIGNING');
    const [header, path] = [randomBytes(24).toString('hex'), randomBytes(24).toString('hex')];
    planted.push({ name: 'value of a header', value: header }, { name: 'path of a Slack URL', value: path });
    const url = 'https://127.0.0.1:1';
    const headers = [{ name: 'X-Receiver', value: header }];
    await applyChannel('hook', { type: 'webhook', webhook: { url, secret: signing, headers } });
    await applyChannel('chat', { type: 'slack', slack: { url: `${url}/services/${path}` } });
    await expect(platform.crate('notifications', 'test', 'chat', '-n', 'team-a')).rejects.toThrow();
  });

  it('are made for a cluster, one that fails among them', async () => {
    await user.applyDemo();
    await user.untilReady();
    await platform.crate('sandbox', 'fault', 'set', 'trouble', '--kind', 'capacity', '--machine-type', 'm5.xlarge');
    await user.applyDemo('failing');
    await user.until('failing', (cluster) => cluster.status?.failure !== undefined);
    await platform.crate('sandbox', 'fault', 'clear');
    await handOut();
    await platform.crate('logs', 'cluster/demo', '-n', 'team-a');
    await platform.crate('plan', 'cluster/demo', '-n', 'team-a');
    await remember();
    expect(made.size).toBeGreaterThan(20);
    said.push(await everyAnswer(user, platform));
  });

  it('of an account are replaced once the provider takes the new ones, and no cluster moves', async () => {
    const before = await infrastructure();
    await platform.crate('sandbox', 'fault', 'set', 'bad', '--kind', 'credentials', '--access-key-id', 'AKIABAD');
    const bad = { ...credentials('BAD'), accessKeyId: 'AKIABAD' };
    const refusal: unknown = await applyAccount(bad).catch((error: unknown) => error);
    expect(refusal).toMatchObject({
      code: 'InvalidSpec',
      details: { causes: [expect.objectContaining({ field: 'spec.credentials' })] },
    });
    expect(`${String(refusal)} ${JSON.stringify(refusal)}`).not.toContain(bad.secretAccessKey);
    const old = await account();

    // From now on the sandbox rejects the old ones too: what works, works with the new ones.
    await applyAccount(second);
    await platform.crate('sandbox', 'fault', 'set', 'old', '--kind', 'credentials', '--access-key-id', 'AKIAFIRST');
    const current = await eventually(async () => {
      const found = await account();
      expect(found.status?.credentialsFingerprint).toBe(found.spec.credentialsFingerprint);
      return found;
    });
    expect(current.spec.credentialsFingerprint).not.toBe(old.spec.credentialsFingerprint);
    await eventually(async () =>
      expect(await eventReasons()).toEqual(expect.arrayContaining(['CredentialsRefused', 'CredentialsReplaced'])),
    );

    const after = await infrastructure();
    expect(after.metadata.generation).toBe(before.metadata.generation);
    expect(after.status?.stateSerial).toBe(before.status?.stateSerial);

    await user.applyDemo('demo', (spec) => {
      spec['nodePools'] = [{ name: 'workers', replicas: 3, machineType: 'm5.xlarge' }];
    });
    await user.untilReady();
    await remember();
  });

  it('go on while all encryption keys are replaced, which can then be retired', async () => {
    await platform.crate('secrets', 'rotate');
    await user.delete('failing');
    await user.untilGone('failing');
    await remember();
    await eventually(() => platform.crate('secrets', 'retire'), { timeoutMs: 180_000 });
    expect(await platform.crate('secrets')).not.toContain('older');
    await handOut();
  });

  it('were nowhere: in no log, event, audit row, message, plan, table or answer', async () => {
    said.push(await everyAnswer(user, platform));
    await user.delete();
    await user.untilGone();
    const all = [...planted, ...made.values()];
    const { findings, bytesScanned } = await scan.scanFor(all);
    expect(findings).toEqual([]);
    const answers = new SecretScan(all);
    expect(said).toHaveLength(2);
    for (const [place, text] of said.flatMap((answers) => [...answers])) answers.scan(place, text);
    expect(answers.findings).toEqual([]);
    expect(answers.bytesScanned).toBeGreaterThan(50_000);
    expect(bytesScanned).toBeGreaterThan(500_000);
    // The traffic that was heard is that of the calls above.
    expect(scan.traffic.includes('resources.readSubresource')).toBe(true);
    expect(scan.traffic.includes('"sealed":"v1.')).toBe(true);
  });

  it('were never plain in the files of the database, which backups copy', async () => {
    const { findings, bytesScanned } = await scan.scanFilesFor([...planted, ...keysAmong(made)]);
    expect(findings).toEqual([]);
    expect(bytesScanned).toBeGreaterThan(10_000_000);
  });

  it('would have been found', async () => {
    const hidden = Buffer.from(`x${first.secretAccessKey}y`).toString('base64');
    await applyAccount(second, { hidden });
    const { findings } = await scan.scanFor(planted);
    const places = findings.map(({ place }) => place).join();
    expect(findings.map(({ canary }) => canary)).toContain('secret key FIRST');
    expect(places).toContain('table cloud_mgmt.');
  });

  it('would have been found in each of these places', async () => {
    const value = randomBytes(24).toString('hex');
    await scan.plant(`x${value}y`);
    const canaries = [{ name: 'planted', value }];
    const { findings } = await scan.scanFor(canaries);
    const places = findings.map(({ place }) => place);
    expect(places).toEqual(['NATS', expect.stringContaining('planted.log'), 'table public.planted']);
    const files = (await scan.scanFilesFor(canaries)).findings.map(({ place }) => place);
    expect(files).toContainEqual(expect.stringContaining('/pg_wal/'));
    expect(files).toContainEqual(expect.stringContaining('/base/'));
  });
});
