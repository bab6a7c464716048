import type { Database } from '@crate/database';
import type { AesGcmSecretBox } from '../aes-gcm-secret-box.js';
import { SecretHeads } from '../secret-heads.js';
import { bindingOf, columnsOf, keyOf, sealedOf, type SecretRow } from '../secret-row.js';
import { inSeries } from '../series-transaction.js';
import { keyUses, type KeyUse } from './key-use.js';

const BATCH = 100;
/** Names the one renewal of a service that runs at a time. */
const TURN = `hashtextextended('crate/secret-renewal/' || current_schema(), 0)`;

/** How far a renewal has come. */
export interface RenewalProgress {
  readonly renewed: number;
  /** Records that do not open: they stay as they are, and keep their key in use. */
  readonly failed: number;
}

/** Keys that records stand under and that are none of those in use, oldest first: such as are older, and any, older or newer, that have no file here. */
export interface OlderKeys {
  /** What stands under them is to be moved. */
  readonly present: readonly string[];
  /** What stands under them cannot be read before their files are back. */
  readonly missing: readonly string[];
}

/** Names one version of a secret. */
export interface SecretPlace {
  readonly ownerUid: string;
  readonly kind: string;
  readonly serial: number;
}

/** The signal ends a renewal between two batches; what is under the newest key by then stays so. */
export interface RenewalOptions {
  readonly signal?: AbortSignal;
  /** Told after each batch. */
  readonly onProgress?: (progress: RenewalProgress) => void;
  /** Told of each record that does not open. */
  readonly onFailure?: (error: unknown, secret: SecretPlace) => void;
}

interface Place {
  readonly owner_uid: string;
  readonly kind: string;
  readonly serial: number;
}

/**
 * Moves every record under the newest key-encryption key, each with a new data key of its own. Safe beside running services,
 * to kill and to repeat: which key a record stands under is its only memory.
 */
export class SecretRenewal {
  private readonly heads: SecretHeads;

  constructor(
    private readonly database: Database,
    private readonly box: AesGcmSecretBox,
  ) {
    this.heads = new SecretHeads(box);
  }

  /** Every key in use and how many records stand under it. */
  async uses(): Promise<readonly KeyUse[]> {
    return keyUses(async (sql) => ({ rows: await this.database.rowsOnce(sql) }));
  }

  /** A run is due when one of them is present. */
  async olderKeys(): Promise<OlderKeys> {
    const current = await this.box.currentKeyIds();
    const keys: Record<keyof OlderKeys, string[]> = { present: [], missing: [] };
    for (const { keyId } of await this.uses()) {
      if (!current.includes(keyId)) keys[(await this.box.knows(keyId)) ? 'present' : 'missing'].push(keyId);
    }
    return keys;
  }

  /** Goes through all records once that stand under a key which is there. Undefined when another process is at it. */
  async run(options: RenewalOptions = {}): Promise<RenewalProgress | undefined> {
    const client = await this.database.pool.connect();
    let broken: Error | undefined;
    try {
      const { rows } = await client.query<{ mine: boolean }>(`SELECT pg_try_advisory_lock(${TURN}) AS mine`);
      if (!rows[0]?.mine) return undefined;
      try {
        return await this.renewAll(options);
      } finally {
        await client.query(`SELECT pg_advisory_unlock(${TURN})`).catch((error: Error) => (broken = error));
      }
    } finally {
      // The end of a session gives its turn back too, also that of a killed process.
      client.release(broken);
    }
  }

  private async renewAll({ signal, onProgress, onFailure }: RenewalOptions): Promise<RenewalProgress> {
    // By name: what a replica ahead of this one has moved is not moved back, and no key is looked for that is not there.
    const { present } = await this.olderKeys();
    const done = { renewed: 0, failed: 0 };
    let last: Place = { owner_uid: '', kind: '', serial: 0 };
    for (;;) {
      const places = await this.under(present, last);
      if (places.length === 0) return done;
      for (const place of places) {
        signal?.throwIfAborted();
        try {
          done.renewed += await this.renew(place);
        } catch (error) {
          done.failed += 1;
          onFailure?.(error, { ownerUid: place.owner_uid, kind: place.kind, serial: place.serial });
        }
        last = place;
      }
      onProgress?.({ ...done });
    }
  }

  private async under(keyIds: readonly string[], { owner_uid, kind, serial }: Place): Promise<readonly Place[]> {
    return this.database.rows<Place>(
      `SELECT owner_uid, kind, serial FROM secret_versions
       WHERE key_id = ANY ($1) AND (owner_uid, kind, serial) > ($2, $3, $4)
       ORDER BY owner_uid, kind, serial LIMIT ${BATCH}`,
      [keyIds, owner_uid, kind, serial],
    );
  }

  /** 0 when somebody replaced or removed the record in the meantime. */
  private async renew(place: Place): Promise<number> {
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
}
