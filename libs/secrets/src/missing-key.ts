import { isPlatformError, PlatformError } from '@crate/errors';

const REASON = 'EncryptionKeyMissing';

/** What stands under a key that is not there cannot be read, which says nothing about it. */
export function keyMissing(keyId: string): PlatformError {
  return new PlatformError('Unavailable', `Encryption key "${keyId}" is not available`, {
    details: { reason: REASON, remedy: `Put the file ${keyId}.key back, from the backup of keys or from another host` },
  });
}

/** True when something could not be read because the key that it stands under is not there. */
export function isKeyMissing(error: unknown): boolean {
  return isPlatformError(error) && error.details.reason === REASON;
}
