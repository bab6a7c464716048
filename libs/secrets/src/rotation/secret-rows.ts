import type { Database } from '@crate/database';
import type { AesGcmSecretBox } from '../aes-gcm-secret-box.js';
import { SecretHeads } from '../secret-heads.js';
import { bindingOf, columnsOf, keyOf, sealedOf, type SecretRow } from '../secret-row.js';
import { inSeries } from '../series-transaction.js';
import type { RenewableRows, SecretPlace } from './renewable-rows.js';

interface Place {
  readonly owner_uid: string;
  readonly kind: string;
  readonly serial: number;
}

/** The versions of all secrets, with the heads that vouch for them. */
export class SecretRows implements RenewableRows<Place> {
  private readonly heads: SecretHeads;

  constructor(
    private readonly database: Database,
    private readonly box: AesGcmSecretBox,
  ) {
    this.heads = new SecretHeads(box);
  }

  async under(keyIds: readonly string[], last: Place | undefined, count: number): Promise<readonly Place[]> {
    const { owner_uid, kind, serial } = last ?? { owner_uid: '', kind: '', serial: 0 };
    return this.database.rows<Place>(
      `SELECT owner_uid, kind, serial FROM secret_versions
       WHERE key_id = ANY ($1) AND (owner_uid, kind, serial) > ($2, $3, $4)
       ORDER BY owner_uid, kind, serial LIMIT ${count}`,
      [keyIds, owner_uid, kind, serial],
    );
  }

  async renew(place: Place): Promise<number> {
    const series = { ownerUid: place.owner_uid, kind: place.kind };
    return inSeries(this.database, series, async (sql) => {
      const rows = await sql.rowsOnce<SecretRow>(
        'SELECT * FROM secret_versions WHERE owner_uid = $1 AND kind = $2 AND serial = $3',
        [place.owner_uid, place.kind, place.serial],
      );
      const [row] = rows;
      if (!row) return 0;
      const state = await this.heads.read(sql, series);
      const isHead = state.head?.serial === row.serial && state.newest?.serial === row.serial;
      // What a damaged head says must not be vouched for anew.
      if (isHead) await this.heads.check(state);
      const binding = bindingOf(row);
      const plain = await this.box.open(sealedOf(row), binding);
      const sealed = await this.box.seal(plain, binding);
      const digest = Buffer.from(await this.box.digest(plain, binding, sealed.keyId));
      await sql.execute(
        `UPDATE secret_versions SET key_id = $4, wrapped_key = $5, iv = $6, tag = $7, ciphertext = $8, digest = $9
         WHERE owner_uid = $1 AND kind = $2 AND serial = $3`,
        [...keyOf(binding), ...columnsOf(sealed), digest],
      );
      if (isHead) await this.heads.write(sql, series, { ...row, digest }, sealed.keyId);
      return 1;
    });
  }

  bindingOf({ owner_uid: ownerUid, kind, serial }: Place): SecretPlace {
    return { ownerUid, kind, serial };
  }
}
