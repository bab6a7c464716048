import { conflict } from '@crate/errors';
import type { Pool, PoolClient } from 'pg';
import type { AesGcmSecretBox } from './aes-gcm-secret-box.js';
import { DEFAULT_KEPT_VERSIONS } from './retention.js';
import { SecretStore, type SealedSecret, type SecretBinding, type SecretVersion } from './secret-store.js';

interface Row {
  readonly owner_uid: string;
  readonly kind: string;
  readonly serial: number;
  readonly epoch: string | null;
  readonly key_id: string;
  readonly wrapped_key: Buffer;
  readonly iv: Buffer;
  readonly tag: Buffer;
  readonly ciphertext: Buffer;
  readonly digest: Buffer;
}

type Newest = Pick<Row, 'serial' | 'epoch' | 'key_id' | 'digest'>;

interface Series {
  readonly ownerUid: string;
  readonly kind: string;
}

export interface PostgresSecretStoreOptions {
  /** Connections whose `search_path` is the service's schema. */
  readonly pool: Pool;
  readonly box: AesGcmSecretBox;
  /** Versions of one secret that are kept, at least 1. */
  readonly keptVersions?: number;
}

const NEWEST = `SELECT serial, epoch, key_id, digest FROM secret_versions
  WHERE owner_uid = $1 AND kind = $2 ORDER BY serial DESC LIMIT 1`;
const REWRAP_BATCH = 100;

/** Encrypted versions in the table `secret_versions`. */
export class PostgresSecretStore extends SecretStore {
  private readonly pool: Pool;
  private readonly box: AesGcmSecretBox;
  private readonly keptVersions: number;

  constructor(options: PostgresSecretStoreOptions) {
    super();
    this.pool = options.pool;
    this.box = options.box;
    this.keptVersions = options.keptVersions ?? DEFAULT_KEPT_VERSIONS;
  }

  async put(ownerUid: string, kind: string, plain: Uint8Array, epoch?: bigint): Promise<number> {
    const series = { ownerUid, kind };
    return this.inTransaction(series, async (client) => {
      const { rows } = await client.query<Newest>(NEWEST, [ownerUid, kind]);
      const newest = rows[0];
      refuseStale(newest, series, epoch);
      if (newest && (await this.isSame(newest, plain, series))) {
        await raiseFence(client, series, newest, epoch);
        return newest.serial;
      }
      const serial = (newest?.serial ?? 0) + 1;
      await this.insert(client, { ...series, serial }, plain, epoch ?? newest?.epoch ?? null);
      await client.query('DELETE FROM secret_versions WHERE owner_uid = $1 AND kind = $2 AND serial <= $3', [
        ownerUid,
        kind,
        serial - this.keptVersions,
      ]);
      return serial;
    });
  }

  async find(ownerUid: string, kind: string): Promise<{ serial: number; plain: Uint8Array } | undefined> {
    const { rows } = await this.pool.query<Row>(
      'SELECT * FROM secret_versions WHERE owner_uid = $1 AND kind = $2 ORDER BY serial DESC LIMIT 1',
      [ownerUid, kind],
    );
    const [row] = rows;
    return row && { serial: row.serial, plain: await this.box.open(sealedOf(row), bindingOf(row)) };
  }

  async versions(ownerUid: string, kind: string): Promise<readonly SecretVersion[]> {
    const { rows } = await this.pool.query<{ serial: number; created_at: Date; size: number }>(
      `SELECT serial, created_at, octet_length(ciphertext) AS size FROM secret_versions
       WHERE owner_uid = $1 AND kind = $2 ORDER BY serial`,
      [ownerUid, kind],
    );
    return rows.map((row) => ({ serial: row.serial, createdAt: row.created_at, size: row.size }));
  }

  async removeOwner(ownerUid: string): Promise<void> {
    await this.pool.query('DELETE FROM secret_versions WHERE owner_uid = $1', [ownerUid]);
  }

  async countOwners(): Promise<number> {
    const { rows } = await this.pool.query<{ count: number }>(
      'SELECT count(DISTINCT owner_uid)::int AS count FROM secret_versions',
    );
    return rows[0]?.count ?? 0;
  }

  /**
   * Seals everything that is under an older key again, under the newest; afterwards old keys can be removed.
   * Safe beside running services, to interrupt and to repeat. Gives the number of records that moved.
   */
  async rewrapAll(): Promise<number> {
    const newestKeyId = await this.box.newestKeyId();
    let moved = 0;
    for (;;) {
      const { rows } = await this.pool.query<Row>('SELECT * FROM secret_versions WHERE key_id <> $1 LIMIT $2', [
        newestKeyId,
        REWRAP_BATCH,
      ]);
      if (rows.length === 0) return moved;
      for (const row of rows) moved += await this.rewrap(row);
    }
  }

  private async rewrap(row: Row): Promise<number> {
    const binding = bindingOf(row);
    const plain = await this.box.open(sealedOf(row), binding);
    const sealed = await this.box.seal(plain, binding);
    const digest = await this.box.digest(plain, binding, sealed.keyId);
    // Only if nobody replaced the row in the meantime.
    const { rowCount } = await this.pool.query(
      `UPDATE secret_versions SET key_id = $5, wrapped_key = $6, iv = $7, tag = $8, ciphertext = $9, digest = $10
       WHERE owner_uid = $1 AND kind = $2 AND serial = $3 AND wrapped_key = $4`,
      [...keyOf(binding), row.wrapped_key, ...columnsOf(sealed), digest],
    );
    return rowCount ?? 0;
  }

  /** The digest is compared under the key of the stored one, so that a rotation makes no new version. */
  private async isSame(newest: Newest, plain: Uint8Array, series: Series): Promise<boolean> {
    return newest.digest.equals(await this.box.digest(plain, series, newest.key_id));
  }

  private async insert(
    client: PoolClient,
    binding: SecretBinding,
    plain: Uint8Array,
    epoch: bigint | string | null,
  ): Promise<void> {
    const sealed = await this.box.seal(plain, binding);
    const digest = await this.box.digest(plain, binding, sealed.keyId);
    await client.query(
      `INSERT INTO secret_versions (owner_uid, kind, serial, epoch, key_id, wrapped_key, iv, tag, ciphertext, digest)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
      [...keyOf(binding), epoch, ...columnsOf(sealed), digest],
    );
  }

  /** One writer of a series at a time: the fence and the serial are read before they are written. */
  private async inTransaction<T>(series: Series, work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await this.pool.connect();
    let broken: Error | undefined;
    try {
      await client.query('BEGIN');
      await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
        JSON.stringify(['secret', series.ownerUid, series.kind]),
      ]);
      const result = await work(client);
      await client.query('COMMIT');
      return result;
    } catch (error) {
      await client.query('ROLLBACK').catch((failure: Error) => (broken = failure));
      throw error;
    } finally {
      client.release(broken);
    }
  }
}

function refuseStale(newest: Newest | undefined, series: Series, epoch: bigint | undefined): void {
  if (epoch === undefined || newest?.epoch == null || epoch >= BigInt(newest.epoch)) return;
  throw conflict('A newer holder has written this secret', { kind: series.kind });
}

/** The same content from a newer holder makes no version, but from now on older holders are refused. */
async function raiseFence(
  client: PoolClient,
  series: Series,
  newest: Newest,
  epoch: bigint | undefined,
): Promise<void> {
  if (epoch === undefined || (newest.epoch !== null && BigInt(newest.epoch) >= epoch)) return;
  await client.query('UPDATE secret_versions SET epoch = $4 WHERE owner_uid = $1 AND kind = $2 AND serial = $3', [
    ...keyOf({ ...series, serial: newest.serial }),
    epoch,
  ]);
}

function bindingOf(row: Row): SecretBinding {
  return { ownerUid: row.owner_uid, kind: row.kind, serial: row.serial };
}

function sealedOf(row: Row): SealedSecret {
  return { keyId: row.key_id, wrappedKey: row.wrapped_key, iv: row.iv, tag: row.tag, ciphertext: row.ciphertext };
}

function keyOf(binding: SecretBinding): [string, string, number] {
  return [binding.ownerUid, binding.kind, binding.serial];
}

function columnsOf(sealed: SealedSecret): (string | Uint8Array)[] {
  return [sealed.keyId, sealed.wrappedKey, sealed.iv, sealed.tag, sealed.ciphertext];
}
