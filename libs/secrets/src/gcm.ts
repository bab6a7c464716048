import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { invariant } from '@crate/errors';

const ALGORITHM = 'aes-256-gcm';
/** 96 bits, as NIST SP 800-38D recommends for GCM. */
export const IV_BYTES = 12;
export const TAG_BYTES = 16;

export interface GcmParts {
  readonly iv: Uint8Array;
  readonly tag: Uint8Array;
  readonly ciphertext: Uint8Array;
}

/** AES-256-GCM under a random initialisation vector. */
export function encrypt(plain: Uint8Array, key: Uint8Array, additionalData: Uint8Array): GcmParts {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES }).setAAD(additionalData);
  const ciphertext = Buffer.concat([cipher.update(plain), cipher.final()]);
  return { iv, tag: cipher.getAuthTag(), ciphertext };
}

/** Throws Invariant when anything was changed. */
export function decrypt(parts: GcmParts, key: Uint8Array, additionalData: Uint8Array): Uint8Array {
  try {
    const decipher = createDecipheriv(ALGORITHM, key, parts.iv, { authTagLength: TAG_BYTES })
      .setAAD(additionalData)
      .setAuthTag(parts.tag);
    return Buffer.concat([decipher.update(parts.ciphertext), decipher.final()]);
  } catch (error) {
    throw invariant('A secret does not open under its binding: it was changed, swapped or rolled back', error);
  }
}
