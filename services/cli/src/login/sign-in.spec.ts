import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { stringify } from 'yaml';
import { FakeApi } from '../testing/fake-api.js';
import { DataDir } from '../up/data-dir.js';
import { credentialId, CredentialStore } from './credential-store.js';
import { pluginUser } from './credential-plugin.js';
import { signIn } from './sign-in.js';

const SERVER = 'https://crate.example.com';
const PLUGIN = { command: 'node', args: ['main.js'] };

let folder: string;
let kubeconfig: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crate-sign-in-'));
  kubeconfig = join(folder, 'config');
});
afterEach(async () => rm(folder, { recursive: true }));

/** Nobody is there: whoever gets as far as asking the server fails otherwise. */
async function signInTo(server: string, path = kubeconfig): Promise<void> {
  const store = new CredentialStore(join(folder, 'credentials'));
  const ask = (): Promise<never> => Promise.reject(new Error('The person was asked'));
  await signIn({ server, context: 'crate', kubeconfig: path, store, ask, plugin: PLUGIN });
}

function signedInTo(server: string): string {
  return stringify({
    clusters: [{ name: 'crate', cluster: { server } }],
    users: [{ name: 'crate', user: pluginUser(PLUGIN, { server, id: credentialId(server, 'crate') }) }],
    contexts: [{ name: 'crate', context: { cluster: 'crate', user: 'crate' } }],
  });
}

describe('signing in', () => {
  it('leaves the administrator of a local platform in its kubeconfig, and says what to do', async () => {
    const api = await FakeApi.start(() => undefined);
    const path = new DataDir(api.dataDir).adminKubeconfig();
    const before = await readFile(path, 'utf8');
    const refused = signInTo('https://127.0.0.1:1', path);
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

  it.each([
    { name: 'the same sign-in', given: signedInTo('https://127.0.0.1:1') },
    { name: 'nothing of the name', given: 'users: [{ name: other, user: { token: t } }]' },
  ])('goes on where there is $name', async ({ given }) => {
    await writeFile(kubeconfig, given);
    await expect(signInTo('https://127.0.0.1:1')).rejects.toMatchObject({ code: 'Unavailable' });
  });
});
