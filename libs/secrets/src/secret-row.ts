import type { SealedSecret, SecretBinding, SecretFacts } from './secret-store.js';

/** A row of `secret_versions`. */
export interface SecretRow {
  readonly owner_uid: string;
  readonly kind: string;
  readonly serial: number;
  readonly epoch: string | null;
  readonly facts: SecretFacts | null;
  readonly key_id: string;
  readonly wrapped_key: Buffer;
  readonly iv: Buffer;
  readonly tag: Buffer;
  readonly ciphertext: Buffer;
  readonly digest: Buffer;
}

/** All versions of one kind of one owner. */
export interface SecretSeries {
  readonly ownerUid: string;
  readonly kind: string;
}

export function bindingOf({ owner_uid: ownerUid, kind, serial, facts }: SecretRow): SecretBinding {
  return { ownerUid, kind, serial, ...(facts === null ? {} : { facts }) };
}

export function sealedOf(row: SecretRow): SealedSecret {
  return { keyId: row.key_id, wrappedKey: row.wrapped_key, iv: row.iv, tag: row.tag, ciphertext: row.ciphertext };
}

export function keyOf(binding: SecretBinding): [string, string, number] {
  return [binding.ownerUid, binding.kind, binding.serial];
}

export function columnsOf(sealed: SealedSecret): (string | Uint8Array)[] {
  return [sealed.keyId, sealed.wrappedKey, sealed.iv, sealed.tag, sealed.ciphertext];
}
