import { createKeyFile, retireKeyFile } from '@crate/secrets';
import type { DataDir } from '../up/data-dir.js';
import { SERVICE_ORDER } from '../up/service-order.js';
import { keysDirectory, listEncryptionKeys, usesOf } from './encryption-keys.js';

/** Gives each service a new key; they move what they keep under it by themselves. */
export async function rotateKeys(dir: DataDir): Promise<void> {
  for (const service of SERVICE_ORDER)
    console.log(`${service}: new key ${await createKeyFile(keysDirectory(dir, service))}`);
}

/** Removes keys that are not the newest. Throws Conflict, as `retireKeyFile`, while something stands under one. */
export async function retireKeys(dir: DataDir): Promise<void> {
  const older = (await listEncryptionKeys(dir)).filter(({ state }) => state === 'older');
  if (older.length === 0) console.log('There is no older key');
  for (const { service, keyId } of older) {
    await retireKeyFile(keysDirectory(dir, service), keyId, await usesOf(dir, service));
    console.log(`${service}: removed key ${keyId}`);
  }
}
