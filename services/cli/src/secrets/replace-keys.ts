import { rotateKey, rotateSealingKey } from '@crate/auth';
import { createKeyFile, retireKeyFile } from '@crate/secrets';
import type { DataDir } from '../up/data-dir.js';
import { SERVICE_ORDER } from '../up/service-order.js';
import { serviceKeys } from '../up/services.js';
import { keysDirectory, listEncryptionKeys, usesOf } from './encryption-keys.js';

/** Gives each service a new key; they move what they keep under it by themselves. */
export async function rotateKeys(dir: DataDir): Promise<void> {
  for (const service of SERVICE_ORDER)
    console.log(`${service}: new key ${await createKeyFile(keysDirectory(dir, service))}`);
}

/**
 * Gives each service new keys to sign with, and to be sealed for. Running services take them up without a restart; the former ones are good
 * for as long as anything in flight may need them, and what checkpoints of the audit log were signed with stays to verify them.
 */
export async function rotateServiceKeys(dir: DataDir): Promise<void> {
  for (const service of SERVICE_ORDER) {
    const directories = serviceKeys(dir, service);
    const signing = await rotateKey(directories, service);
    const sealing = await rotateSealingKey(directories, service);
    console.log(`${service}: new signing key ${signing}, new sealing key ${sealing}`);
  }
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
