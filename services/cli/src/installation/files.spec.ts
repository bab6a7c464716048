import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { X509Certificate } from 'node:crypto';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseConfig } from '@crate/config';
import { removeDataDir, temporaryDataDir } from '../testing/temporary-data-dir.js';
import type { DataDir } from '../up/data-dir.js';
import { installationConfig, type InstallationSettings } from './config.js';
import { prepareFiles } from './files.js';

let dir: DataDir;
beforeEach(async () => {
  dir = await temporaryDataDir();
});
afterEach(async () => removeDataDir(dir));

function settings(further: Record<string, string> = {}): InstallationSettings {
  const environment = { CRATE_INSTALLATION_STEP: 'files', CRATE_INSTALLATION_DIR: dir.root, ...further };
  return parseConfig(installationConfig, environment).installation;
}

async function contents(): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(dir.root, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return new Map(await Promise.all(paths.sort().map(async (path) => [path, await readFile(path, 'utf8')] as const)));
}

async function apiCertificate(): Promise<X509Certificate> {
  return new X509Certificate(await readFile(join(dir.service('lifecycle'), 'tls', 'server.crt')));
}

describe('prepareFiles', () => {
  it('makes everything once: a second time nothing changes but the token of the administrator', async () => {
    await prepareFiles(settings());
    const before = await contents();
    await prepareFiles(settings());
    const after = await contents();

    const changed = [...after].filter(([path, text]) => before.get(path) !== text).map(([path]) => path);
    expect(changed).toEqual([expect.stringMatching(/admin\.kubeconfig$/)]);
    expect([...after.keys()]).toEqual([...before.keys()]);
  });

  it('lets nobody else read what is secret', async () => {
    await prepareFiles(settings());
    const paths = [...(await contents()).keys()];
    const open = await Promise.all(paths.map(async (path) => ((await stat(path)).mode & 0o077 ? [path] : [])));

    expect(open.flat().filter((path) => !path.startsWith(dir.trust()))).toEqual([]);
    expect(paths.filter((path) => path.startsWith(dir.trust()) && path.endsWith('.key'))).toEqual([]);
  });

  it('gives the API a certificate of its names, and another one when these change', async () => {
    await prepareFiles(settings({ CRATE_INSTALLATION_API_URL: 'https://crate.example.com' }));
    const first = await apiCertificate();
    await prepareFiles(settings({ CRATE_INSTALLATION_API_NAMES: 'crate.example.org,10.0.0.5' }));
    const second = await apiCertificate();

    expect([first.checkHost('crate.example.com'), first.checkHost('lifecycle')]).not.toContain(undefined);
    expect([second.checkHost('crate.example.org'), second.checkIP('10.0.0.5')]).not.toContain(undefined);
    const ca = new X509Certificate(await readFile(join(dir.trust(), 'ca.crt')));
    expect([first.verify(ca.publicKey), second.verify(ca.publicKey)]).toEqual([true, true]);
  });

  it('gives the API one that browsers of Apple take, and the servers, which nobody starts again for a new one, ten years', async () => {
    await prepareFiles(settings());
    const files = [dir.service('lifecycle'), dir.service('postgres'), dir.nats()].map((each) =>
      join(each, 'tls', 'server.crt'),
    );
    const certificates = await Promise.all(files.map(async (file) => new X509Certificate(await readFile(file))));
    const days = certificates.map(
      ({ validFrom, validTo }) => (Date.parse(validTo) - Date.parse(validFrom)) / 86_400_000,
    );
    expect(days.map(Math.floor)).toEqual([820, 3650, 3650]);
  });

  it('repairs what was lost, and keeps the rest', async () => {
    await prepareFiles(settings());
    const before = await contents();
    await rm(join(dir.nats(), 'nats.conf'));
    await rm(join(dir.nats(), 'tls', 'server.key'));
    await prepareFiles(settings());
    const after = await contents();

    const password = join(dir.service('lifecycle'), 'nats-password');
    expect(after.get(password)).toBe(before.get(password));
    expect(after.get(join(dir.nats(), 'nats.conf'))).toBe(before.get(join(dir.nats(), 'nats.conf')));
    expect(after.get(join(dir.nats(), 'tls', 'server.key'))).not.toBe(
      before.get(join(dir.nats(), 'tls', 'server.key')),
    );
  });

  it.each([
    'CRATE_INSTALLATION_API_URL=http://crate',
    'CRATE_INSTALLATION_API_NAMES=a b',
    'CRATE_INSTALLATION_STEP=all',
  ])('refuses %s by name', (setting) => {
    const [name = '', value = ''] = setting.split('=');
    expect(() => settings({ [name]: value })).toThrow(name);
  });
});
