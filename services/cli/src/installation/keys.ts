import { text } from 'node:stream/consumers';
import { badRequest } from '@crate/errors';
import { listKeyFiles, readKey, restoreKeyFile } from '@crate/secrets';
import { z } from 'zod';
import { keysDirectory, keyTable, listEncryptionKeys } from '../secrets/encryption-keys.js';
import { retireKeys, rotateKeys, rotateServiceKeys } from '../secrets/replace-keys.js';
import { DataDir } from '../up/data-dir.js';
import { SERVICE_ORDER } from '../up/service-order.js';
import type { InstallationSettings } from './config.js';

/** Whatever `listKeyFiles` gives, and no way out of the directory: it is the name of a file. */
const keyId = z.string().regex(/^[^./][^/]*$/);
/** What `save` prints: the keys of each service in base64, by their id. */
const keptKeys = z.partialRecord(z.enum(SERVICE_ORDER), z.record(keyId, z.base64()));
type KeptKeys = z.output<typeof keptKeys>;

const ACTIONS: Readonly<Record<string, (dir: DataDir) => Promise<void>>> = {
  save: async (dir) => console.log(JSON.stringify(await savedKeys(dir))),
  restore: async (dir) => restoreKeys(dir, await text(process.stdin)),
  status: async (dir) => console.log(keyTable(await listEncryptionKeys(dir)).join('\n')),
  rotate: rotateKeys,
  retire: retireKeys,
  'rotate-service-keys': rotateServiceKeys,
};

/**
 * Keeps, puts back and replaces the key-encryption keys of an installation, whose volumes nobody else has a shell for. `save` prints them,
 * `restore` adds those that it reads to those that are there; `status`, `rotate` and `retire` do as `crate secrets` does for a platform of
 * `crate up`. `rotate-service-keys` replaces the keys that services sign with and are sealed for. Throws BadRequest for anything else.
 */
export async function runKeys(
  { dir }: Pick<InstallationSettings, 'dir'>,
  [action = '']: readonly string[],
): Promise<void> {
  const run = ACTIONS[action];
  if (!run) throw badRequest(`Say what to do with the keys: ${Object.keys(ACTIONS).join(', ')}`);
  await run(new DataDir(dir));
}

/** Every key of every service. Throws Unavailable when a service has no folder of keys, as before its first start. */
export async function savedKeys(dir: DataDir): Promise<KeptKeys> {
  const kept: KeptKeys = {};
  for (const service of SERVICE_ORDER) {
    const directory = keysDirectory(dir, service);
    const keys = await Promise.all((await listKeyFiles(directory)).map((id) => readKey(directory, id)));
    kept[service] = Object.fromEntries(keys.map(({ keyId, key }) => [keyId, Buffer.from(key).toString('base64')]));
  }
  return kept;
}

/** Puts back what `savedKeys` gave. Idempotent; throws BadRequest when `kept` is something else, and InvalidSpec as `restoreKeyFile`. */
export async function restoreKeys(dir: DataDir, kept: string): Promise<void> {
  for (const [service, keys] of Object.entries(keptOf(kept))) {
    for (const [keyId, key] of Object.entries(keys))
      await restoreKeyFile(keysDirectory(dir, service), { keyId, key: Buffer.from(key, 'base64') });
    console.log(`${service}: ${Object.keys(keys).length} keys are there`);
  }
}

/** Says nothing of what it cannot read: it may be keys all the same. */
function keptOf(kept: string): KeptKeys {
  try {
    return keptKeys.parse(JSON.parse(kept));
  } catch {
    throw badRequest('Standard input has no keys that `save` has written');
  }
}
