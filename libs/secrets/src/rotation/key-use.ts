/** How many records stand under one key-encryption key. */
export interface KeyUse {
  readonly keyId: string;
  readonly records: number;
}

/** A head vouches for its version under the same key. */
const SECRET_TABLES = ['secret_versions', 'secret_heads'];

/** What can run one statement: a pool, a client, a database. */
export type RunsSql = (sql: string) => Promise<{ readonly rows: readonly unknown[] }>;

/** Every key that a record of a secret, or of `further` tables with a column `key_id`, stands under, oldest first. The search path is the service's schema. */
export async function keyUses(run: RunsSql, further: readonly string[] = []): Promise<readonly KeyUse[]> {
  const each = [...SECRET_TABLES, ...further].map(
    (table) => `SELECT key_id, count(*) AS records FROM ${table} GROUP BY key_id`,
  );
  const uses = `SELECT key_id AS "keyId", sum(records)::int AS records FROM (${each.join(' UNION ALL ')}) used
    GROUP BY key_id ORDER BY key_id`;
  return (await run(uses)).rows as readonly KeyUse[];
}
