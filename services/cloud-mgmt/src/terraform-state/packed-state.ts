import { promisify } from 'node:util';
import { gunzip, gzipSync } from 'node:zlib';
import { badRequest } from '@crate/errors';

/** Many times what a state of the largest cluster has. */
const LONGEST_STATE_BYTES = 64 * 1024 * 1024;

/** A state as it travels: compressed to about a tenth, because messages between services have their limit. */
export function packState(bytes: Uint8Array): string {
  return gzipSync(bytes).toString('base64');
}

/** Throws BadRequest for what is not packed so, or unpacks to more than any state has. */
export async function unpackState(packed: string): Promise<Uint8Array> {
  try {
    return await promisify(gunzip)(Buffer.from(packed, 'base64'), { maxOutputLength: LONGEST_STATE_BYTES });
  } catch (cause) {
    const error = badRequest('The state must be compressed with gzip, in base64');
    error.cause = cause;
    throw error;
  }
}
