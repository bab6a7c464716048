import type { Database, SqlRunner } from '@crate/database';
import { conflict, hasCode } from '@crate/errors';
import type { AesGcmSecretBox } from './aes-gcm-secret-box.js';
import { refuseOverlooked } from './put-options.js';
import { DEFAULT_KEPT_VERSIONS } from './retention.js';
import { damaged } from './secret-damage.js';
import { boundFence, checkFence, epochOf, withFence, withoutFence } from './secret-fence.js';
import { SecretHeads, type SeriesState } from './secret-heads.js';
import { bindingOf, columnsOf, keyOf, sealedOf, type SecretRow } from './secret-row.js';
import { inSeries } from './series-transaction.js';
import {
  SecretStore,
  type OpenedSecret,
  type PutOptions,
  type SecretBinding,
  type SecretFacts,
  type SecretVersion,
} from './secret-store.js';

export interface PostgresSecretStoreOptions {
  readonly database: Database;
  readonly box: AesGcmSecretBox;
  /** Versions of one secret that are kept, at least 1. Default: `DEFAULT_KEPT_VERSIONS`. */
  readonly keptVersions?: number;
}

/** What one run wrote counts as one: its last version stays as long as the newest of others, however much it wrote. */
const THIN_OUT = `DELETE FROM secret_versions WHERE owner_uid = $1 AND kind = $2 AND serial <= $3 AND serial NOT IN (
    SELECT max(serial) FROM secret_versions WHERE owner_uid = $1 AND kind = $2
    GROUP BY coalesce(facts->>'run', serial::text) ORDER BY 1 DESC LIMIT $4)`;

const KIND_AGE = `extract(epoch FROM clock_timestamp() - max(created_at)) * 1000`;
/** Whether the one that is kept, if any, has been there for so long: the others were in use until it came. */
const IS_SETTLED = `$2::text IS NULL
  OR (SELECT ${KIND_AGE} FROM secret_versions WHERE owner_uid = $1 AND kind = $2) >= $3`;
const OTHERS = `SELECT kind FROM secret_versions WHERE owner_uid = $1 AND kind IS DISTINCT FROM $2 AND (${IS_SETTLED})
  GROUP BY kind HAVING ${KIND_AGE} >= $3`;
const REMOVE_OLD = `WITH old AS (
    SELECT kind FROM secret_versions WHERE owner_uid = $1 AND kind = $2 GROUP BY kind HAVING ${KIND_AGE} >= $3),
  heads AS (DELETE FROM secret_heads WHERE owner_uid = $1 AND kind IN (SELECT kind FROM old))
  DELETE FROM secret_versions WHERE owner_uid = $1 AND kind IN (SELECT kind FROM old)`;

/** Encrypted versions in the table `secret_versions`, with their newest ones in `secret_heads`. */
export class PostgresSecretStore extends SecretStore {
  private readonly database: Database;
  private readonly box: AesGcmSecretBox;
  private readonly heads: SecretHeads;
  private readonly keptVersions: number;

  constructor(options: PostgresSecretStoreOptions) {
    super();
    this.database = options.database;
    this.box = options.box;
    this.heads = new SecretHeads(options.box);
    this.keptVersions = options.keptVersions ?? DEFAULT_KEPT_VERSIONS;
  }

  async put(ownerUid: string, kind: string, plain: Uint8Array, options: PutOptions = {}): Promise<number> {
    const series = { ownerUid, kind };
    return inSeries(this.database, series, async (sql) => {
      const state = await this.heads.read(sql, series);
      // What a damaged row says of its writer refuses nobody, and no fence is made of it.
      if (!options.heal) await this.check(sql, state);
      const fence = options.heal ? await this.heads.provenFence(state) : fenceOf(state);
      refuseStale(kind, fence, options.epoch);
      const same = options.heal || options.isAnew ? undefined : await this.keepSame(sql, state, plain, options.epoch);
      if (same !== undefined) return same;
      refuseOverlooked(kind, state.newest?.serial, options.after);
      return this.append(sql, state, plain, { ...options, epoch: options.epoch ?? fence });
    });
  }

  async find(ownerUid: string, kind: string): Promise<OpenedSecret | undefined> {
    const state = await this.heads.read(this.database, { ownerUid, kind });
    await this.check(this.database, state);
    return state.newest && this.openRow(state.newest);
  }

  async findVersion(ownerUid: string, kind: string, serial: number): Promise<OpenedSecret | undefined> {
    const rows = await this.database.rowsOnce<SecretRow>(
      'SELECT * FROM secret_versions WHERE owner_uid = $1 AND kind = $2 AND serial = $3',
      [ownerUid, kind, serial],
    );
    const [row] = rows;
    if (row) await checkFence(row, this.database);
    return row && this.openRow(row);
  }

  async versions(ownerUid: string, kind: string): Promise<readonly SecretVersion[]> {
    const rows = await this.database.rows<VersionRow>(
      `SELECT serial, created_at, octet_length(ciphertext) AS size, facts FROM secret_versions
       WHERE owner_uid = $1 AND kind = $2 ORDER BY serial`,
      [ownerUid, kind],
    );
    return rows.map(({ serial, created_at: createdAt, size, facts }) => ({
      serial,
      createdAt,
      size,
      facts: withoutFence(facts),
    }));
  }

  async removeOthers(ownerUid: string, kept: string | undefined, olderThanMs: number): Promise<void> {
    const old = await this.database.rows<{ kind: string }>(OTHERS, [ownerUid, kept ?? null, olderThanMs]);
    // Whoever stores one anew meanwhile is seen, or waits.
    for (const { kind } of old)
      await inSeries(this.database, { ownerUid, kind }, (sql) =>
        sql.execute(REMOVE_OLD, [ownerUid, kind, olderThanMs]),
      );
  }

  async removeOwner(ownerUid: string): Promise<void> {
    await this.database.execute(
      `WITH heads AS (DELETE FROM secret_heads WHERE owner_uid = $1)
       DELETE FROM secret_versions WHERE owner_uid = $1`,
      [ownerUid],
    );
  }

  async countOwners(): Promise<number> {
    const row = await this.database.firstRow<{ count: number }>(
      'SELECT count(DISTINCT owner_uid)::int AS count FROM secret_versions',
    );
    return row?.count ?? 0;
  }

  /** Throws Invariant when the newest version, or what is said of its writer, is not what was stored last. */
  private async check(sql: SqlRunner, state: SeriesState): Promise<void> {
    await this.heads.check(state);
    if (state.newest) await checkFence(state.newest, sql);
  }

  private async openRow(row: SecretRow): Promise<OpenedSecret> {
    const { serial, facts } = row;
    return { serial, plain: await this.open(row), facts: withoutFence(facts), fence: boundFence(facts) ?? undefined };
  }

  private async open(row: SecretRow): Promise<Uint8Array> {
    try {
      return await this.box.open(sealedOf(row), bindingOf(row));
    } catch (error) {
      // A key that is not there says nothing about the record.
      throw hasCode(error, 'Invariant') ? damaged('tampered', row.kind, error) : error;
    }
  }

  /** The serial of the newest version when that is the same content, bound as all are today. */
  private async keepSame(
    sql: SqlRunner,
    state: SeriesState,
    plain: Uint8Array,
    epoch: bigint | undefined,
  ): Promise<number | undefined> {
    const { newest } = state;
    if (!newest) return undefined;
    if (newest.facts === null) {
      // No head tells of it: it has to show that it is what it says.
      await this.open(newest);
      return undefined;
    }
    // Compared under the key of the stored one, so that a rotation makes no new version.
    if (!newest.digest.equals(await this.box.digest(plain, state, newest.key_id))) return undefined;
    if (epoch !== undefined) await this.raiseFence(sql, { ...newest, facts: newest.facts }, plain, epoch);
    return newest.serial;
  }

  /** The same content from a newer holder makes no version, but from now on older holders are refused. It is bound anew, to the new fence. */
  private async raiseFence(
    sql: SqlRunner,
    row: SecretRow & { readonly facts: SecretFacts },
    plain: Uint8Array,
    epoch: bigint,
  ): Promise<void> {
    if (boundFence(row.facts) === epoch) return;
    const { ownerUid, kind, serial } = bindingOf(row);
    const facts = withFence(row.facts, epoch);
    const binding = { ownerUid, kind, serial, facts };
    const sealed = await this.box.seal(plain, binding);
    const digest = Buffer.from(await this.box.digest(plain, binding, sealed.keyId));
    await sql.execute(
      `UPDATE secret_versions
       SET epoch = $4, key_id = $5, wrapped_key = $6, iv = $7, tag = $8, ciphertext = $9, digest = $10, facts = $11
       WHERE owner_uid = $1 AND kind = $2 AND serial = $3`,
      [...keyOf(binding), epoch, ...columnsOf(sealed), digest, facts],
    );
    await this.heads.write(sql, binding, { serial, facts, digest }, sealed.keyId);
  }

  private async append(
    sql: SqlRunner,
    { newest, head, ownerUid, kind }: SeriesState,
    plain: Uint8Array,
    { epoch, facts, heal }: Omit<PutOptions, 'epoch'> & { readonly epoch: bigint | null },
  ): Promise<number> {
    const serial = greatestOf(newest?.serial, head?.serial, heal?.above) + 1;
    const given = facts?.(serial, withoutFence(newest?.facts ?? null)) ?? {};
    await this.insert(sql, { ownerUid, kind, serial, facts: withFence(given, epoch) }, plain, epoch);
    await sql.execute(THIN_OUT, [ownerUid, kind, serial - this.keptVersions, this.keptVersions]);
    return serial;
  }

  private async insert(
    sql: SqlRunner,
    binding: SecretBinding & { readonly facts: SecretFacts },
    plain: Uint8Array,
    epoch: bigint | null,
  ): Promise<void> {
    const { facts, serial } = binding;
    const sealed = await this.box.seal(plain, binding);
    const digest = Buffer.from(await this.box.digest(plain, binding, sealed.keyId));
    await sql.execute(
      `INSERT INTO secret_versions
         (owner_uid, kind, serial, epoch, key_id, wrapped_key, iv, tag, ciphertext, digest, facts)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
      [...keyOf(binding), epoch, ...columnsOf(sealed), digest, facts],
    );
    await this.heads.write(sql, binding, { serial, facts, digest }, sealed.keyId);
  }
}

interface VersionRow {
  readonly serial: number;
  readonly created_at: Date;
  readonly size: number;
  readonly facts: SecretFacts | null;
}

function greatestOf(...serials: readonly (number | undefined)[]): number {
  return Math.max(0, ...serials.filter((serial) => serial !== undefined));
}

/** What older holders are refused by, of a series that was checked. */
function fenceOf({ newest }: SeriesState): bigint | null {
  return newest ? epochOf(newest) : null;
}

function refuseStale(kind: string, fence: bigint | null, epoch: bigint | undefined): void {
  if (epoch === undefined || fence === null || epoch >= fence) return;
  throw conflict('A newer holder has written this secret', { kind });
}
