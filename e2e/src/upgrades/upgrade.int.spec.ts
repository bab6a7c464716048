import { generateKeyPairSync, sign } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { COMPONENTS, findCondition, type Component, type ComponentName } from '@crate/api';
import { CratePlatform, eventually } from '@crate/testing';
import pg from 'pg';
import { parse } from 'yaml';
import { HttpClient, type Access } from '../conformance/http-client.js';
import { CrateUser } from '../crate-user.js';
import { ClusterWork } from './cluster-work.js';
import { Load } from './load.js';
import { NEXT_COLUMN } from './next-schema.js';
import { makeBrokenRelease, makeRelease, ownVersion } from './release-tree.js';

const COLLECTION = '/apis/lifecycle.crate.dev/v1alpha1/components';
/** An upgrade of all services takes half a minute on a quiet machine, and several on one that does ten other things. */
const PATIENT = { timeoutMs: 480_000 };
/** Of a service that is just being replaced, or has not said yet which versions it knows. */
const ACCEPTED = { timeoutMs: 240_000 };
/** What a quiet machine needs of; a busy one takes longer, and nothing here depends on it. */
const QUICK = { canarySoakSeconds: 1, soakSeconds: 0, progressDeadlineSeconds: 600 };
const TABLES_WITHOUT = `SELECT format('%s.%s', schemaname, tablename) AS name FROM pg_tables
  WHERE schemaname !~ '^(pg_|information_schema)' AND tablename <> '_prisma_migrations' AND NOT EXISTS (
    SELECT FROM information_schema.columns WHERE table_schema = schemaname AND table_name = tablename AND column_name = $1)`;
const NEXT = '0.2.0';
const BROKEN = '0.3.0';
/** Nothing changes it but the load: what is used of another is in its status. */
const LOADED = 'load';
const WORKED = 'team-a';

let releases: string;
let platform: CratePlatform;
let access: Access;
let http: HttpClient;
let user: CrateUser;
let load: Load | undefined;
let work: ClusterWork | undefined;
let own: string;

beforeAll(async () => {
  own = await ownVersion();
  releases = await mkdtemp(join(tmpdir(), 'crate-releases-'));
  // Slow enough that services are replaced in the middle of something.
  platform = await CratePlatform.start({ latencyScale: 0.1, settings: await publishIndex() });
  user = await CrateUser.of(platform);
  const versions = join(platform.directory, 'versions');
  await makeRelease(versions, NEXT);
  await makeBrokenRelease(versions, BROKEN);
  const { clusters, users } = parse(await platform.kubeconfig()) as {
    readonly clusters: readonly { readonly cluster: Readonly<Record<string, string>> }[];
    readonly users: readonly { readonly user: { readonly token: string } }[];
  };
  const { server = '', 'certificate-authority-data': ca = '' } = clusters[0]?.cluster ?? {};
  access = { url: server, ca: Buffer.from(ca, 'base64').toString(), token: users[0]?.user.token ?? '' };
  http = new HttpClient(access);
  for (const name of [LOADED, WORKED]) await http.post('/apis/lifecycle.crate.dev/v1alpha1/projects', aProject(name));
});
afterEach(async () => {
  await load?.stop();
  load = undefined;
  await work?.stop().catch(() => undefined);
});
afterAll(async () => {
  http?.close();
  await platform?.remove();
  await rm(releases, { recursive: true, force: true });
});

function aProject(name: string): object {
  return { apiVersion: 'lifecycle.crate.dev/v1alpha1', kind: 'Project', metadata: { name }, spec: {} };
}

/** A signed index of the releases, and the settings by which it is known. */
async function publishIndex(): Promise<Record<string, string>> {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const [index, key] = [join(releases, 'index.json'), join(releases, 'key.pem')];
  const at = { channel: 'stable', releasedAt: '2026-11-01T00:00:00Z', upgradeFrom: own };
  const listed = [own, NEXT, BROKEN].map((version) => ({ ...at, version, downgradeTo: own }));
  const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
  const text = JSON.stringify({ kind: 'ReleaseIndex', serial: 1, expiresAt, releases: listed });
  await writeFile(index, text);
  await writeFile(`${index}.sig`, sign('sha256', Buffer.from(text), privateKey).toString('base64'));
  await writeFile(key, publicKey.export({ type: 'spki', format: 'pem' }));
  return { CRATE_RELEASES_INDEX: index, CRATE_RELEASES_PUBLIC_KEY_FILES: key, CRATE_RELEASES_EVERY_MS: '1000' };
}

async function component(name: ComponentName): Promise<Component> {
  const { code, text, body } = await http.get(`${COLLECTION}/${name}`);
  if (code !== 200) throw new Error(`${code}: ${text}`);
  return body as unknown as Component;
}

async function until(name: ComponentName, holds: (found: Component) => boolean): Promise<Component> {
  return eventually(async () => {
    const found = await component(name);
    if (holds(found)) return found;
    throw new Error(`Not yet: ${JSON.stringify(found.status, undefined, 2)}`);
  }, PATIENT);
}

async function setVersion(name: ComponentName, version: string): ReturnType<HttpClient['call']> {
  const body = { spec: { version, strategy: QUICK } };
  const headers = { 'content-type': 'application/merge-patch+json' };
  return http.call('PATCH', `${COLLECTION}/${name}`, { body, headers });
}

/** Those that are accepted, once all that they are judged by is known. */
async function wish(names: readonly ComponentName[], version: string): Promise<void> {
  await eventually(async () => {
    for (const name of names) {
      const { code, text } = await setVersion(name, version);
      if (code !== 200) throw new Error(`${code}: ${text}`);
    }
  }, ACCEPTED);
}

/** Tables as this checkout makes them, of all services. */
async function oldTables(): Promise<readonly string[]> {
  const client = new pg.Client({ connectionString: await platform.databaseUrl() });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(TABLES_WITHOUT, [NEXT_COLUMN]);
    return rows.map(({ name }) => name);
  } finally {
    await client.end();
  }
}

/** Nothing failed, and nothing that was written is missing in what was watched. */
function expectUnnoticed({ failures, seen, written }: Load): void {
  expect(failures).toEqual([]);
  expect(seen).toEqual(Array.from({ length: written }, (_, index) => index + 1));
  expect(written).toBeGreaterThan(10);
}

async function expectAllAt(version: string): Promise<void> {
  const found = await Promise.all(COMPONENTS.map(component));
  const outcomes = found.map((each) => [each.status?.installedVersion, history(each)?.[0]]);
  expect(outcomes).toEqual(COMPONENTS.map(() => [version, `${version} Succeeded`]));
}

const history = ({ status }: Component): readonly string[] | undefined =>
  status?.history?.map(({ to, outcome }) => `${to} ${outcome}`);

// One story on one platform.
describe('an upgrade of the platform', () => {
  it('is refused to a version that nobody signed', async () => {
    await until('policy-mgmt', ({ status }) => status?.installedVersion === own);
    const { code, body } = await setVersion('policy-mgmt', '9.9.9');
    expect([code, body.details.causes.map(({ field, message }) => `${field} ${message}`)]).toEqual([
      422,
      [expect.stringMatching(/^spec\.version .*is not among the signed releases/)],
    ]);
  });

  it('that crashes is taken back, and nobody at work notices', async () => {
    load = new Load(access, LOADED);
    await load.start();
    await wish(['policy-mgmt'], BROKEN);
    const failed = await until('policy-mgmt', ({ status }) => status?.history !== undefined);

    expect(history(failed)).toEqual([`${BROKEN} RolledBack`]);
    expect(failed.status?.history?.[0]).toMatchObject({
      reason: 'Crashing',
      message: expect.stringMatching(/Built on a Friday/),
    });
    expect(findCondition(failed.status?.conditions, 'UpToDate')?.reason).toBe('RolledBack');
    expect(failed.status?.installedVersion).toBe(own);
    await load.stop();
    expect(load.failures).toEqual([]);
  });

  it('goes through all services, lifecycle last, without a failed request or a lost event, and a cluster is made meanwhile', async () => {
    expect((await oldTables()).length).toBeGreaterThan(COMPONENTS.length);
    await user.applyAccount();
    work = new ClusterWork(user);
    load = new Load(access, LOADED);
    await load.start();
    work.start();
    // In the wrong order, which is none of theirs.
    await wish([...COMPONENTS].reverse(), NEXT);
    await until('lifecycle', ({ status }) => status?.history !== undefined);
    await expectAllAt(NEXT);
    await work.stop();
    await load.stop();

    expect(await oldTables()).toEqual([]);
    expectUnnoticed(load);
    await work.expectNothingDoubled();
    const { version, versions: all } = (await http.get('/platform/status')).body as unknown as Record<string, unknown>;
    expect(version).toBe(NEXT);
    expect(all).toContain(NEXT);
  });

  it('is there again after all was stopped', async () => {
    await platform.crate('down');
    await platform.up();
    const { version } = (await http.get('/platform/status')).body as unknown as { version: string };
    expect(version).toBe(NEXT);
  });

  it('goes back to the version before, which works on with what the newer one left', async () => {
    work = new ClusterWork(user);
    load = new Load(access, LOADED);
    await load.start();
    work.start();
    await wish(COMPONENTS, own);
    await eventually(async () => expectAllAt(own), PATIENT);
    await work.stop();
    await load.stop();

    expectUnnoticed(load);
    await work.expectNothingDoubled();
    await user.delete();
    await user.untilGone();
    expect(await platform.inventory()).toEqual([]);
  });
});
