import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parse, stringify } from 'yaml';
import { CredentialStore } from './credential-store.js';
import { signOut } from './sign-out.js';

let folder: string;
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'crate-sign-out-'))));
afterEach(async () => rm(folder, { recursive: true }));

const SIGNED_IN = {
  users: [{ name: 'crate', user: { exec: { command: 'crate', args: ['credential', 'abc'] } } }],
  contexts: [{ name: 'crate', context: { cluster: 'crate', user: 'crate' } }],
  clusters: [{ name: 'crate', cluster: { server: 'https://crate.example.com' } }],
};

describe('signOut', () => {
  it('finds the sign-in in whichever kubeconfig has it, and leaves the others as they are', async () => {
    const [first, second] = [join(folder, 'first'), join(folder, 'second')];
    const other = stringify({ users: [{ name: 'ada', user: { token: 't' } }] });
    await writeFile(first, other);
    await writeFile(second, stringify(SIGNED_IN));
    const store = new CredentialStore(join(folder, 'credentials'));
    await signOut({ context: 'crate', kubeconfigs: [join(folder, 'none'), first, second], store });
    expect(parse(await readFile(second, 'utf8'))).toMatchObject({ users: [], contexts: [], clusters: [] });
    expect(await readFile(first, 'utf8')).toBe(other);
  });

  it('waits for who refreshes the tokens, so that they do not come back', async () => {
    const kubeconfig = join(folder, 'config');
    await writeFile(kubeconfig, stringify(SIGNED_IN));
    const store = new CredentialStore(join(folder, 'credentials'));
    const tokens = { idToken: 'fresh', expiresAt: 0 };
    const offer = { name: 'corporate', issuer: 'https://login.example', clientId: 'crate', scopes: [] };
    let leaving: Promise<unknown> = Promise.resolve();
    await store.alone('abc', async () => {
      leaving = signOut({ context: 'crate', kubeconfigs: [kubeconfig], store });
      await setTimeout(100);
      await store.save('abc', { server: 'https://crate.example.com', context: 'crate', offer, tokens });
    });
    await leaving;
    expect(await store.find('abc')).toBeUndefined();
    expect(parse(await readFile(kubeconfig, 'utf8'))).toMatchObject({ users: [] });
  });

  it('says where it looked, and makes nothing there', async () => {
    const kubeconfigs = [join(folder, 'a'), join(folder, 'b')];
    const gone = signOut({ context: 'crate', kubeconfigs, store: new CredentialStore(folder) });
    await expect(gone).rejects.toThrow(`No kubeconfig has a sign-in "crate"; looked in ${kubeconfigs.join(', ')}`);
    expect(await readdir(folder)).toEqual([]);
  });
});
