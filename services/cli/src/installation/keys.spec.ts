import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ServiceRegistry, ServiceTokenIssuer, ServiceTokenVerifier, FileKeyStore } from '@crate/auth';
import { createKeyFile } from '@crate/secrets';
import { keysDirectory } from '../secrets/encryption-keys.js';
import { removeDataDir, temporaryDataDir } from '../testing/temporary-data-dir.js';
import type { DataDir } from '../up/data-dir.js';
import { SERVICE_ORDER } from '../up/service-order.js';
import { ensureServiceKeys, serviceKeys } from '../up/services.js';
import { restoreKeys, runKeys, savedKeys } from './keys.js';

let from: DataDir;
let to: DataDir;
beforeEach(async () => {
  [from, to] = [await temporaryDataDir(), await temporaryDataDir()];
  for (const service of SERVICE_ORDER) {
    await mkdir(keysDirectory(from, service), { recursive: true });
    await createKeyFile(keysDirectory(from, service));
  }
});
afterEach(async () => {
  await removeDataDir(from);
  await removeDataDir(to);
});

const kept = async (): Promise<string> => JSON.stringify(await savedKeys(from));

async function contents(dir: DataDir): Promise<readonly (readonly string[])[]> {
  const folders = SERVICE_ORDER.map((service) => keysDirectory(dir, service));
  const files = await Promise.all(folders.map(async (folder) => (await readdir(folder)).map((it) => join(folder, it))));
  return Promise.all(files.map((each) => Promise.all(each.sort().map((file) => readFile(file, 'utf8')))));
}

describe('keys of an installation', () => {
  it('come back on a new host as they were kept, and a second time nothing changes', async () => {
    await createKeyFile(keysDirectory(from, 'lifecycle'));
    await restoreKeys(to, await kept());
    await restoreKeys(to, await kept());

    expect(await contents(to)).toEqual(await contents(from));
    const folder = keysDirectory(to, 'lifecycle');
    const modes = (await readdir(folder)).map(async (name) => (await stat(join(folder, name))).mode & 0o777);
    expect(await Promise.all(modes)).toEqual([0o600, 0o600]);
  });

  it('come back beside those that are there', async () => {
    await mkdir(keysDirectory(to, 'lifecycle'), { recursive: true });
    const own = await createKeyFile(keysDirectory(to, 'lifecycle'));
    await restoreKeys(to, await kept());

    expect(await readdir(keysDirectory(to, 'lifecycle'))).toContain(`${own}.key`);
    expect(await readdir(keysDirectory(to, 'lifecycle'))).toHaveLength(2);
  });

  it('come back whatever a service takes for the name of one', async () => {
    const folder = keysDirectory(from, 'lifecycle');
    for (const id of ['2026.01.key', 'key_2', 'of march']) {
      await writeFile(join(folder, `${id}.key`), `${randomBytes(32).toString('base64')}\n`, { mode: 0o600 });
    }
    await restoreKeys(to, await kept());

    expect(await contents(to)).toEqual(await contents(from));
  });

  it('do not replace another key of the same id', async () => {
    const other = Buffer.alloc(32, 1).toString('base64');
    const [id = ''] = Object.keys((await savedKeys(from))['lifecycle'] ?? {});
    const before = await contents(from);

    await expect(restoreKeys(from, JSON.stringify({ lifecycle: { [id]: other } }))).rejects.toThrow(
      `${id}.key is there already and holds another key`,
    );
    expect(await contents(from)).toEqual(before);
  });

  it.each([
    ['no JSON', 'lifecycle'],
    ['an unknown service', '{"nobody":{}}'],
    ['an id that leads elsewhere', `{"lifecycle":{"../x":"${Buffer.alloc(32).toString('base64')}"}}`],
    ['an id that leads further down', `{"lifecycle":{"x/../y":"${Buffer.alloc(32).toString('base64')}"}}`],
    ['what is no base64', '{"lifecycle":{"a":"{}"}}'],
  ])('are not read from %s', async (_, text) => {
    await expect(restoreKeys(to, text)).rejects.toThrow('Standard input has no keys that `save` has written');
  });

  it('are refused where they are too short', async () => {
    await expect(restoreKeys(to, '{"lifecycle":{"a":"AAAA"}}')).rejects.toThrow('must hold 32 bytes in base64');
  });

  it('are not kept by somebody who lets others read them', async () => {
    const folder = keysDirectory(from, 'lifecycle');
    for (const name of await readdir(folder)) await chmod(join(folder, name), 0o644);
    await expect(savedKeys(from)).rejects.toThrow('must be readable by its owner only');
  });
});

describe('the keys that services sign with', () => {
  it('are replaced while what was signed with the former ones is still taken', async () => {
    const registry = new ServiceRegistry();
    await ensureServiceKeys(from);
    const storeOf = (service: string): FileKeyStore => new FileKeyStore(serviceKeys(from, service), service);
    const issue = (): string =>
      new ServiceTokenIssuer({ service: 'cloud-mgmt', keys: storeOf('cloud-mgmt'), registry }).issue('policy-mgmt', {
        user: 'ada',
        groups: [],
      });
    const [first, before] = [issue(), await publicKeyIds()];
    await runKeys({ dir: from.root }, ['rotate-service-keys']);

    const verifier = new ServiceTokenVerifier({ service: 'policy-mgmt', keys: storeOf('policy-mgmt'), registry });
    for (const token of [first, issue()]) expect(verifier.verify(token, 'policy:review').caller.user).toBe('ada');
    for (const [index, ids] of (await publicKeyIds()).entries()) {
      expect(ids).toEqual([expect.not.stringMatching(before[index]?.[0] ?? ''), ...(before[index] ?? [])]);
    }
  });
});

/** Of all services, to verify and to seal with; the newest first. */
async function publicKeyIds(): Promise<readonly (readonly string[])[]> {
  const files = SERVICE_ORDER.flatMap((service) => [`${service}.jwks.json`, `${service}.sealing.jwks.json`]);
  const texts = await Promise.all(files.map((file) => readFile(join(from.trust(), file), 'utf8')));
  return texts.map((text) => (JSON.parse(text) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid));
}
