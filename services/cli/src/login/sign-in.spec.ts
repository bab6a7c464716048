import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { parse, stringify } from 'yaml';
import { FakeApi } from '../testing/fake-api.js';
import { DataDir } from '../up/data-dir.js';
import { credentialId, CredentialStore } from './credential-store.js';
import { pluginUser } from './credential-plugin.js';
import { signIn, type SignInOptions } from './sign-in.js';

const SERVER = 'https://crate.example.com';
/** An authority of somebody else. */
const OTHER_CA = Buffer.from(rootCertificates[0] ?? '').toString('base64');
const PLUGIN = { command: 'node', args: ['main.js'] };

interface Kubeconfig {
  readonly clusters: readonly [
    { readonly cluster: { readonly server: string; readonly 'certificate-authority-data': string } },
  ];
}

let folder: string;
let kubeconfig: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crate-sign-in-'));
  kubeconfig = join(folder, 'config');
});
afterEach(async () => rm(folder, { recursive: true }));

type Other = Pick<SignInOptions, 'caFile' | 'ask'> & { readonly path: string };

/** Where an API is, and a file with the authority that it has. */
async function placeOf(api: FakeApi): Promise<{ readonly server: string; readonly caFile: string }> {
  const { clusters } = parse(await readFile(new DataDir(api.dataDir).adminKubeconfig(), 'utf8')) as Kubeconfig;
  const { server, 'certificate-authority-data': ca } = clusters[0].cluster;
  const caFile = join(folder, 'ca.pem');
  await writeFile(caFile, Buffer.from(ca, 'base64'));
  return { server, caFile };
}

/** Nobody is there: whoever gets as far as asking the server fails otherwise. */
async function signInTo(server: string, { path = kubeconfig, ...more }: Partial<Other> = {}): Promise<void> {
  const store = new CredentialStore(join(folder, 'credentials'));
  const ask = (): Promise<never> => Promise.reject(new Error('The person was asked'));
  await signIn({ server, context: 'crate', kubeconfig: path, store, ask, plugin: PLUGIN, ...more });
}

function signedInTo(server: string, cluster: object = {}): string {
  return stringify({
    clusters: [{ name: 'crate', cluster: { ...cluster, server } }],
    users: [{ name: 'crate', user: pluginUser(PLUGIN, { server, id: credentialId(server, 'crate') }) }],
    contexts: [{ name: 'crate', context: { cluster: 'crate', user: 'crate' } }],
  });
}

describe('signing in', () => {
  it('leaves the administrator of a local platform in its kubeconfig, and says what to do', async () => {
    const api = await FakeApi.start(() => undefined);
    const path = new DataDir(api.dataDir).adminKubeconfig();
    const before = await readFile(path, 'utf8');
    const refused = signInTo('https://127.0.0.1:1', { path });
    await expect(refused).rejects.toMatchObject({ code: 'Conflict', message: expect.stringContaining('--kubeconfig') });
    expect(await readFile(path, 'utf8')).toBe(before);
    await api.stop();
  });

  it('leaves a sign-in to another server, whose tokens would be forgotten', async () => {
    await writeFile(kubeconfig, signedInTo(SERVER));
    const refused = signInTo('https://127.0.0.1:1');
    await expect(refused).rejects.toMatchObject({ code: 'Conflict', message: expect.stringContaining('--context') });
    expect(await readFile(kubeconfig, 'utf8')).toBe(signedInTo(SERVER));
  });

  it('says how to end the sign-in of this very kubeconfig, and of no other', async () => {
    await writeFile(kubeconfig, signedInTo(SERVER));
    const message = expect.stringContaining(`crate logout --context crate --kubeconfig ${kubeconfig}`);
    await expect(signInTo('https://127.0.0.1:1')).rejects.toMatchObject({ message });
  });

  it('trusts again the authority that the kubeconfig has for it', async () => {
    const api = await FakeApi.start(() => ({ body: { issuers: [] } }));
    const own = parse(await readFile(new DataDir(api.dataDir).adminKubeconfig(), 'utf8')) as Kubeconfig;
    const [{ cluster }] = own.clusters;
    await writeFile(kubeconfig, signedInTo(cluster.server, cluster));
    const message = expect.stringContaining('offers no way to sign in');
    await expect(signInTo(cluster.server)).rejects.toMatchObject({ message });
    await api.stop();
  });

  it.each([
    { name: 'another authority', trust: { 'certificate-authority-data': OTHER_CA }, code: 'Unavailable' },
    { name: 'a file that is gone', trust: { 'certificate-authority': 'gone.pem' }, code: 'BadRequest' },
  ])('says how to trust anew where the kubeconfig has $name for it', async ({ trust, code }) => {
    const api = await FakeApi.start(() => ({ body: { issuers: [] } }));
    const { server } = await placeOf(api);
    await writeFile(kubeconfig, signedInTo(server, trust));
    const remedy = expect.stringContaining(`crate logout --context crate --kubeconfig ${kubeconfig}`);
    await expect(signInTo(server)).rejects.toMatchObject({ code, details: { remedy } });
    await api.stop();
  });

  it('says so, too, where the authority was made anew by the same name', async () => {
    const [api, former] = await Promise.all([FakeApi.start(() => undefined), FakeApi.start(() => undefined)]);
    const { caFile } = await placeOf(former);
    const trust = { 'certificate-authority-data': (await readFile(caFile)).toString('base64') };
    const { server } = await placeOf(api);
    await writeFile(kubeconfig, signedInTo(server, trust));
    const remedy = expect.stringContaining('--ca-file');
    await expect(signInTo(server)).rejects.toMatchObject({ code: 'Unavailable', details: { remedy } });
    await Promise.all([api.stop(), former.stop()]);
  });

  it('does not blame the authority for a server that is away', async () => {
    const server = 'https://127.0.0.1:1';
    await writeFile(kubeconfig, signedInTo(server, { 'certificate-authority-data': OTHER_CA }));
    await expect(signInTo(server)).rejects.toMatchObject({ code: 'Unavailable', details: {} });
  });

  it.each([
    { what: 'a page, as the console gives one', type: 'text/html', body: Buffer.from('<!doctype html>') },
    { what: 'a document of something else', type: 'application/json', body: { version: 1 } },
  ])('says that no API is there, and where one may be, when it answers $what', async ({ type, body }) => {
    const api = await FakeApi.start((_method, path) => ({
      type,
      body: path === '/console/.well-known/crate-login' ? body : {},
    }));
    const { server, caFile } = await placeOf(api);
    await expect(signInTo(`${server}/console/`, { caFile })).rejects.toMatchObject({
      code: 'Unavailable',
      message: `${server}/console answered 200, which is no answer of the API`,
      details: { remedy: `That is where the console is: give the address of the API, which may be ${server}` },
    });
    await api.stop();
  });

  it.each([
    { name: 'the same sign-in', given: signedInTo('https://127.0.0.1:1') },
    { name: 'nothing of the name', given: 'users: [{ name: other, user: { token: t } }]' },
  ])('goes on where there is $name', async ({ given }) => {
    await writeFile(kubeconfig, given);
    await expect(signInTo('https://127.0.0.1:1')).rejects.toMatchObject({ code: 'Unavailable' });
  });
});
