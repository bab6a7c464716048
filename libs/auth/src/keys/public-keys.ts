import { createPublicKey, verify, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { invalidSpec } from '@crate/errors';

/** Reads public keys in PEM. Throws InvalidSpec that names the file. */
export async function readPublicKeys(files: readonly string[]): Promise<readonly KeyObject[]> {
  return Promise.all(
    files.map(async (file) => {
      try {
        return createPublicKey(await readFile(file, 'utf8'));
      } catch {
        throw invalidSpec(`${file} holds no public key in PEM`, []);
      }
    }),
  );
}

/** Whether one of the keys has signed these bytes: ECDSA and RSA with SHA-256, or Ed25519, as `cosign sign-blob --key` does. */
export function isSignedBy(keys: readonly KeyObject[], bytes: Buffer, signature: Buffer): boolean {
  // Ed25519 hashes by itself.
  return keys.some((key) => verify(key.asymmetricKeyType === 'ed25519' ? null : 'sha256', bytes, key, signature));
}
