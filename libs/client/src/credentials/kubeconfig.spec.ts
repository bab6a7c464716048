import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { CLUSTER as CLUSTERS, CrateClient } from '../index.js';
import { TestApi } from '../testing/api.js';
import { ExecPlugin } from './exec-plugin.js';
import { readKubeconfig } from './kubeconfig.js';
import { TokenFile } from './token-file.js';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kubeconfig-'));
});
afterEach(() => rm(directory, { recursive: true }));

const CLUSTER = {
  server: 'https://crate.test:6440',
  'certificate-authority-data': Buffer.from('PEM').toString('base64'),
};
const ENVIRONMENT = { PATH: '/usr/bin:/bin' };

async function config(user: object, cluster: object = CLUSTER): Promise<string> {
  const path = join(directory, 'config');
  const document = {
    'current-context': 'one',
    contexts: [
      { name: 'one', context: { cluster: 'c', user: 'u', namespace: 'team-a' } },
      { name: 'two', context: { cluster: 'nowhere', user: 'u' } },
    ],
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'u', user }],
  };
  await writeFile(path, stringify(document));
  return path;
}

/** A plugin that counts its runs in a file beside it. */
async function plugin(status: object): Promise<string> {
  const path = join(directory, 'plugin.sh');
  const credential = JSON.stringify({ kind: 'ExecCredential', status });
  await writeFile(path, `#!/bin/sh\necho "$1 $EXTRA" >> ${directory}/runs\nprintf '%s' '${credential}'\n`, {
    mode: 0o755,
  });
  return path;
}

async function runs(): Promise<string[]> {
  return (await readFile(join(directory, 'runs'), 'utf8')).trim().split('\n');
}

describe('readKubeconfig', () => {
  it('reads server, authority, Project and token of the current context', async () => {
    const read = await readKubeconfig(await config({ token: 'abc' }), { environment: {} });
    expect(read).toMatchObject({ server: CLUSTER.server, ca: Buffer.from('PEM'), namespace: 'team-a' });
    expect(await read.credentials?.token()).toBe('abc');
  });

  it('reads the name that the certificate of the server is for', async () => {
    const path = await config({ token: 'abc' }, { ...CLUSTER, 'tls-server-name': 'crate-lifecycle' });
    expect(await readKubeconfig(path, { environment: {} })).toMatchObject({ tlsServerName: 'crate-lifecycle' });
  });

  it('reads files beside it', async () => {
    await writeFile(join(directory, 'ca.crt'), 'AUTHORITY');
    await writeFile(join(directory, 'token'), 'from-file\n');
    const path = await config({ tokenFile: 'token' }, { server: CLUSTER.server, 'certificate-authority': 'ca.crt' });
    const read = await readKubeconfig(path, { environment: {} });
    expect(String(read.ca)).toBe('AUTHORITY');
    expect(await read.credentials?.token()).toBe('from-file');
  });

  it('runs exec plugins, relative ones from where it lies', async () => {
    await plugin({ token: 'issued' });
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: './plugin.sh',
      args: ['x'],
      env: [{ name: 'EXTRA', value: 'y' }],
    };
    const read = await readKubeconfig(await config({ exec }), { environment: ENVIRONMENT });
    expect(await read.credentials?.token()).toBe('issued');
    expect(await runs()).toEqual(['x y']);
  });

  it.each([
    { context: 'two', says: 'has no cluster "nowhere"' },
    { context: 'three', says: 'has no context "three"' },
  ])('names what context $context lacks', async ({ context, says }) => {
    const read = readKubeconfig(await config({ token: 'abc' }), { context, environment: {} });
    await expect(read).rejects.toMatchObject({ code: 'BadRequest', message: expect.stringContaining(says) });
  });
});

describe('ExecPlugin', () => {
  const config = { apiVersion: 'client.authentication.k8s.io/v1' };

  it('asks once for as long as a token is good, also when asked at the same time', async () => {
    let now = 0;
    const command = await plugin({ token: 't', expirationTimestamp: new Date(60_000).toISOString() });
    const plugged = new ExecPlugin({ ...config, command, args: ['run'] }, ENVIRONMENT, () => now);
    expect(await Promise.all([plugged.token(), plugged.token()])).toEqual(['t', 't']);
    await plugged.token();
    expect(await runs()).toHaveLength(1);
    now = 55_000;
    await plugged.token();
    expect(await runs()).toHaveLength(2);
  });

  it.each([
    { how: 'is missing', command: '/nowhere/plugin' },
    { how: 'prints no credential', command: '/bin/true' },
  ])('tells who to ask when the plugin $how', async ({ command }) => {
    const plugged = new ExecPlugin({ ...config, command, installHint: 'Install it' }, ENVIRONMENT);
    await expect(plugged.token()).rejects.toMatchObject({
      code: 'Unauthenticated',
      message: expect.stringMatching(/Getting a token from .* failed[\s\S]*Install it/),
    });
  });

  it('is unavailable while the plugin fails, as when the issuer is away', async () => {
    const plugged = new ExecPlugin({ ...config, command: '/bin/false' }, ENVIRONMENT);
    await expect(plugged.token()).rejects.toMatchObject({ code: 'Unavailable' });
  });

  it('is signed out when the plugin says so, with the exit code of the command line', async () => {
    const exit = { ...config, command: '/bin/sh', args: ['-c', 'echo "Not signed in any more" >&2; exit 5'] };
    await expect(new ExecPlugin(exit, ENVIRONMENT).token()).rejects.toMatchObject({
      code: 'Unauthenticated',
      message: expect.stringContaining('Not signed in any more'),
    });
  });

  it('is run once by a call, and once more when the server refuses what it gave, also where it fails', async () => {
    const api = await TestApi.start();
    const script = `echo run >> ${directory}/runs; [ $(wc -l < ${directory}/runs) = 2 ] && echo '{"status":{"token":"old"}}'`;
    const credentials = new ExecPlugin({ ...config, command: '/bin/sh', args: ['-c', script] }, ENVIRONMENT);
    const client = new CrateClient({ server: api.url, credentials });
    const clusters = client.kind(CLUSTERS).in('team-a');
    await expect(clusters.get('a')).rejects.toMatchObject({ code: 'Unavailable' });
    expect(await runs()).toHaveLength(1);
    await expect(clusters.get('a')).rejects.toMatchObject({ code: 'Unavailable' });
    expect(await runs()).toHaveLength(3);
    client.close();
    await api.close();
  });
});

describe('TokenFile', () => {
  it('reads anew after a while, and when the token is refused', async () => {
    let now = 0;
    const path = join(directory, 'token');
    const file = new TokenFile(path, () => now);
    await writeFile(path, 'one');
    expect(await file.token()).toBe('one');
    await writeFile(path, 'two');
    expect(await file.token()).toBe('one');
    file.forget();
    expect(await file.token()).toBe('two');
    await writeFile(path, 'three');
    now = 61_000;
    expect(await file.token()).toBe('three');
  });
});
