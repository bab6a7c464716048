import type { Database } from '@crate/database';
import { ApiKeyTokens, type KeyName, type StoredToken } from './api-key.repository.js';

interface Row {
  readonly id: string;
  readonly digest: Buffer;
  readonly project: string;
  readonly project_uid: string;
  readonly name: string;
  readonly key_uid: string;
  readonly issued_by: string;
  readonly issued_at: Date;
  readonly expires_at: Date;
  readonly last_used_at: Date | null;
}

const COLUMNS = 'id, digest, project, project_uid, name, key_uid, issued_by, issued_at, expires_at, last_used_at';
const FIND = `SELECT ${COLUMNS} FROM api_key_tokens WHERE id = $1`;
const LIST = `SELECT ${COLUMNS} FROM api_key_tokens WHERE project = $1 AND name = $2 ORDER BY issued_at DESC, expires_at DESC`;
/** Two requests for a token of the same key would not see each other's, and both would stay good. */
const LOCK = `SELECT pg_advisory_xact_lock(hashtextextended('api-key ' || $1, 0))`;
const END_OTHERS = `UPDATE api_key_tokens SET expires_at = $2 WHERE key_uid = $1 AND expires_at > $2`;
const INSERT = `INSERT INTO api_key_tokens
  (id, digest, project, project_uid, name, key_uid, issued_by, issued_at, expires_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`;
const TOUCH = `UPDATE api_key_tokens SET last_used_at = $2
  WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $3)`;
const REMOVE = 'DELETE FROM api_key_tokens WHERE id = ANY($1)';

/** Keeps them in the schema of the service. */
export class PostgresApiKeyTokens extends ApiKeyTokens {
  constructor(private readonly database: Database) {
    super();
  }

  async find(id: string): Promise<StoredToken | undefined> {
    const row = await this.database.firstRow<Row>(FIND, [id]);
    return row && fromRow(row);
  }

  async listOf({ project, name }: KeyName): Promise<readonly StoredToken[]> {
    return (await this.database.rows<Row>(LIST, [project, name])).map(fromRow);
  }

  async add(token: StoredToken, othersEndAt: Date): Promise<void> {
    const { id, digest, project, projectUid, name, keyUid, issuedBy, issuedAt, expiresAt } = token;
    await this.database.transaction(async (transaction) => {
      await transaction.rows(LOCK, [keyUid]);
      await transaction.execute(END_OTHERS, [keyUid, othersEndAt]);
      const values = [id, digest, project, projectUid, name, keyUid, issuedBy, issuedAt, expiresAt];
      await transaction.execute(INSERT, values);
    });
  }

  async touch(id: string, now: Date, notSince: Date): Promise<boolean> {
    return (await this.database.execute(TOUCH, [id, now, notSince])) > 0;
  }

  async remove(ids: readonly string[]): Promise<void> {
    await this.database.execute(REMOVE, [ids]);
  }
}

function fromRow(row: Row): StoredToken {
  return {
    id: row.id,
    digest: row.digest,
    project: row.project,
    projectUid: row.project_uid,
    name: row.name,
    keyUid: row.key_uid,
    issuedBy: row.issued_by,
    issuedAt: row.issued_at,
    expiresAt: row.expires_at,
    ...(row.last_used_at ? { lastUsedAt: row.last_used_at } : {}),
  };
}
