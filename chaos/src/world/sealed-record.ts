import { createDecipheriv } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const IV_BYTES = 12;
const TAG_BYTES = 16;
const SUFFIX = '.key';

/** A row of `secret_versions`. */
export interface SealedRow {
  readonly owner_uid: string;
  readonly kind: string;
  readonly serial: number;
  readonly epoch: string | null;
  readonly key_id: string;
  readonly wrapped_key: Buffer;
  readonly iv: Buffer;
  readonly tag: Buffer;
  readonly ciphertext: Buffer;
  /** What the content is said to be; null in rows from before there was such a thing. */
  readonly facts: Readonly<Record<string, string | number>> | null;
}

export type Keys = ReadonlyMap<string, Buffer>;

/** Key-encryption keys of one service: files `<id>.key`, base64. */
export async function readKeys(directory: string): Promise<Keys> {
  const names = (await readdir(directory)).filter((name) => name.endsWith(SUFFIX) && !name.startsWith('.'));
  const keys = names.map(async (name): Promise<[string, Buffer]> => {
    const text = await readFile(join(directory, name), 'utf8');
    return [name.slice(0, -SUFFIX.length), Buffer.from(text.trim(), 'base64')];
  });
  return new Map(await Promise.all(keys));
}

/** Opens a record as its documented format says; throws when it does not open, or when the epoch beside it is not the one it is bound to. */
export function openRecord(row: SealedRow, keys: Keys): Buffer {
  const { fence = row.epoch ?? '' } = row.facts ?? {};
  if (fence !== (row.epoch ?? '')) throw new Error(`its epoch is ${row.epoch}, and it is bound to ${fence}`);
  const key = keys.get(row.key_id);
  if (!key) throw new Error(`no key ${row.key_id}`);
  const facts = row.facts && Object.entries(row.facts).sort(([left], [right]) => (left < right ? -1 : 1));
  const binding = [row.owner_uid, row.kind, row.serial, ...(facts ? [facts] : [])];
  const wrapped = row.wrapped_key;
  const dataKey = decrypt(key, binding, {
    iv: wrapped.subarray(0, IV_BYTES),
    tag: wrapped.subarray(IV_BYTES, IV_BYTES + TAG_BYTES),
    ciphertext: wrapped.subarray(IV_BYTES + TAG_BYTES),
  });
  return decrypt(dataKey, [...binding, row.key_id], row);
}

function decrypt(
  key: Buffer,
  additionalData: readonly unknown[],
  { iv, tag, ciphertext }: Pick<SealedRow, 'iv' | 'tag' | 'ciphertext'>,
): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(JSON.stringify(additionalData)))
    .setAuthTag(tag);
  return Buffer.concat([decipher.update(ciphertext), decipher.final()]);
}
