/** How many records stand under one key-encryption key. */
export interface KeyUse {
  readonly keyId: string;
  readonly records: number;
}

/** Both tables: a head vouches for its version under the same key. */
const USES = `SELECT key_id AS "keyId", sum(records)::int AS records FROM (
    SELECT key_id, count(*) AS records FROM secret_versions GROUP BY key_id
    UNION ALL SELECT key_id, count(*) FROM secret_heads GROUP BY key_id
  ) used GROUP BY key_id ORDER BY key_id`;

/** What can run one statement: a pool, a client, a database. */
export type RunsSql = (sql: string) => Promise<{ readonly rows: readonly unknown[] }>;

/** Every key that a record stands under, oldest first. The search path is the service's schema. */
export async function keyUses(run: RunsSql): Promise<readonly KeyUse[]> {
  return (await run(USES)).rows as readonly KeyUse[];
}
