import type { Database } from '@crate/database';
import type { AesGcmSecretBox } from '../aes-gcm-secret-box.js';
import type { SealedSecret, SecretBinding } from '../secret-store.js';
import type { RenewableRows, SecretPlace } from './renewable-rows.js';

/** Key of a row by column. */
export type SealedRowKey = Readonly<Record<string, string>>;

/** A table of a service in which each row is sealed by itself: columns `digest`, `key_id`, `wrapped_key`, `iv`, `tag` and `ciphertext` beside its key. */
export interface SealedTable {
  readonly name: string;
  /** Columns of the primary key, all of them text. */
  readonly key: readonly string[];
  bindingOf(key: SealedRowKey): SecretBinding;
  /** What the digest of a row is made of. */
  contentOf(plain: Uint8Array): Promise<Uint8Array>;
}

interface SealedColumns {
  readonly digest: Buffer;
  readonly key_id: string;
  readonly wrapped_key: Buffer;
  readonly iv: Buffer;
  readonly tag: Buffer;
  readonly ciphertext: Buffer;
}

const SEALED = 'digest, key_id, wrapped_key, iv, tag, ciphertext';

/** The rows of such a table, to be moved beside live work: one that somebody replaced meanwhile is left alone. */
export class SealedTableRows implements RenewableRows<SealedRowKey> {
  private readonly columns: string;
  private readonly values: string;

  constructor(
    private readonly database: Database,
    private readonly box: AesGcmSecretBox,
    private readonly table: SealedTable,
  ) {
    this.columns = table.key.join(', ');
    this.values = table.key.map((_, index) => `$${index + 1}`).join(', ');
  }

  async under(
    keyIds: readonly string[],
    last: SealedRowKey | undefined,
    count: number,
  ): Promise<readonly SealedRowKey[]> {
    const { name, key } = this.table;
    const after = last ? `AND (${this.columns}) > (${this.values})` : '';
    const keys = `$${(last ? key.length : 0) + 1}`;
    return this.database.rows<SealedRowKey>(
      `SELECT ${this.columns} FROM ${name} WHERE key_id = ANY (${keys}) ${after} ORDER BY ${this.columns} LIMIT ${count}`,
      [...(last ? this.keyOf(last) : []), keyIds],
    );
  }

  async renew(place: SealedRowKey): Promise<number> {
    const { name } = this.table;
    const isRow = `(${this.columns}) = (${this.values})`;
    const select = `SELECT ${SEALED} FROM ${name} WHERE ${isRow}`;
    const [row] = await this.database.rows<SealedColumns & object>(select, this.keyOf(place));
    if (!row) return 0;
    const at = this.table.key.length;
    const [digest, keyId, ...sealed] = await this.sealAnew(row, this.table.bindingOf(place));
    const renewed = await this.database.rows(
      `UPDATE ${name} SET (${SEALED}) = ($${at + 1}, $${at + 2}, $${at + 3}, $${at + 4}, $${at + 5}, $${at + 6})
       WHERE ${isRow} AND digest = $${at + 7} AND key_id = $${at + 8} RETURNING key_id`,
      [...this.keyOf(place), digest, keyId, ...sealed, row.digest, row.key_id],
    );
    return renewed.length;
  }

  bindingOf(place: SealedRowKey): SecretPlace {
    return this.table.bindingOf(place);
  }

  /** The columns of `SEALED`. */
  private async sealAnew(row: SealedColumns, binding: SecretBinding): Promise<(string | Uint8Array)[]> {
    const plain = await this.box.open(sealedOf(row), binding);
    const { keyId, wrappedKey, iv, tag, ciphertext } = await this.box.seal(plain, binding);
    const digest = Buffer.from(await this.box.digest(await this.table.contentOf(plain), binding, keyId));
    return [digest, keyId, wrappedKey, iv, tag, ciphertext];
  }

  private keyOf(place: SealedRowKey): string[] {
    return this.table.key.map((column) => place[column] ?? '');
  }
}

function sealedOf({ key_id, wrapped_key, iv, tag, ciphertext }: SealedColumns): SealedSecret {
  return { keyId: key_id, wrappedKey: wrapped_key, iv, tag, ciphertext };
}
