import { createHash } from 'node:crypto';

/** Hash before the first row: nothing. */
export const GENESIS_HASH = '0'.repeat(64);

/** A place in the chain. */
export interface ChainLink {
  readonly seq: number;
  /** Hexadecimal SHA-256. */
  readonly hash: string;
}

/** Where a log begins: no row, but what the first one stands behind. */
export const GENESIS: ChainLink = { seq: 0, hash: GENESIS_HASH };

/** The hash of a row: SHA-256 of the hash before it, the sequence number, a space and the line. As `append_audit_entries` has it. */
export function nextHash(previous: string, seq: number, line: string): string {
  return createHash('sha256').update(Buffer.from(previous, 'hex')).update(`${seq} ${line}`, 'utf8').digest('hex');
}
