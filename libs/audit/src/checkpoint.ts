import { sign, verify } from 'node:crypto';
import type { FileKeyStore } from '@crate/auth';
import type { ChainLink } from './chain.js';

/** What the chain was at a time. */
export interface Checkpoint extends ChainLink {
  readonly service: string;
  readonly time: string;
}

/** A checkpoint that only the service can have made: its private key is not in the database. */
export interface SignedCheckpoint extends Checkpoint {
  readonly kid: string;
  /** ECDSA P-256 with SHA-256, hexadecimal. */
  readonly signature: string;
}

/** What a signature says about a checkpoint. `unknownKey`: its public half is not among those that are trusted here. */
export type SignatureVerdict = 'valid' | 'forged' | 'unknownKey';

/** Signs with the service's own key. */
export function signCheckpoint(checkpoint: Checkpoint, keys: Pick<FileKeyStore, 'signingKey'>): SignedCheckpoint {
  const { kid, privateKey } = keys.signingKey();
  const signature = sign('sha256', payloadOf(checkpoint), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return { ...checkpoint, kid, signature: signature.toString('hex') };
}

/** Judges by the public keys that the service signs with, or has signed with. */
export function judgeCheckpoint(
  checkpoint: SignedCheckpoint,
  keys: Pick<FileKeyStore, 'findRecordKey'>,
): SignatureVerdict {
  const key = keys.findRecordKey(checkpoint.service, checkpoint.kid);
  if (!key) return 'unknownKey';
  const signature = Buffer.from(checkpoint.signature, 'hex');
  const isValid = verify('sha256', payloadOf(checkpoint), { key, dsaEncoding: 'ieee-p1363' }, signature);
  return isValid ? 'valid' : 'forged';
}

function payloadOf({ service, seq, hash, time }: Checkpoint): Buffer {
  return Buffer.from(`crate audit checkpoint ${JSON.stringify({ service, seq, hash, time })}`);
}
