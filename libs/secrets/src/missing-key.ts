import { isPlatformError, PlatformError } from '@crate/errors';

const REASON = 'EncryptionKeyMissing';

/** What stands under a key that is not there cannot be read, which says nothing about it. */
export function keyMissing(keyId: string): PlatformError {
  return new PlatformError('Unavailable', `Encryption key "${keyId}" is not available`, {
    details: { reason: REASON, remedy: `Put the file ${keyId}.key back, from the backup of keys or from another host` },
  });
}

/** Of a directory that is empty, though records stand under these keys. */
export function keysMissing(directory: string, keyIds: readonly string[]): PlatformError {
  const files = keyIds.map((keyId) => `${keyId}.key`).join(', ');
  const message = `There is no encryption key in ${directory}, but what is stored stands under ${keyIds.join(', ')}`;
  const remedy = `Mount or name the directory that holds ${files}, or put them into ${directory} from the backup of keys. If they are lost for good, put a new key there yourself: docs/operators-guide.md, "replacing key-encryption keys"`;
  return new PlatformError('Unavailable', message, { details: { reason: REASON, remedy } });
}

/** True when something could not be read because the key that it stands under is not there. */
export function isKeyMissing(error: unknown): boolean {
  return isPlatformError(error) && error.details.reason === REASON;
}
