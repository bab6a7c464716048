import pg from 'pg';

const SCHEMAS = ['lifecycle', 'cloud_mgmt', 'cluster_mgmt', 'policy_mgmt'];
const MOVED_BY_TIME = [
  'work_items',
  'audit_checkpoints',
  'resource_marks',
  'service_replicas',
  'service_reports',
  'catalogue_publications',
  'policy_publications',
];

/** Looks into the platform's database from outside, with code that shares nothing with the product's own. */
export class StoredRows {
  private constructor(private readonly client: pg.Client) {}

  static async open(url: string): Promise<StoredRows> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    return new StoredRows(client);
  }

  async close(): Promise<void> {
    await this.client.end();
  }

  /** Rows of a table of one service. */
  async count(schema: string, table: string, where = 'true'): Promise<number> {
    const { rows } = await this.client.query<{ count: string }>(
      `SELECT count(*) FROM ${schema}.${table} WHERE ${where}`,
    );
    return Number(rows[0]?.count);
  }

  /**
   * Rows of every service's tables written so far, inserts, updates and deletes, by table. Without those that move as time goes by:
   * a resync claims its key and gives it back, what was audited is signed for, how old the newest change is gets noted, and replicas say that
   * they are there and whose catalogue and rules count.
   */
  async writes(): Promise<Readonly<Record<string, number>>> {
    await this.client.query('SELECT pg_stat_clear_snapshot()');
    const { rows } = await this.client.query<{ name: string; writes: string }>(
      `SELECT schemaname || '.' || relname AS name, n_tup_ins + n_tup_upd + n_tup_del AS writes
       FROM pg_stat_user_tables WHERE schemaname = ANY ($1) AND relname <> ALL ($2) ORDER BY name`,
      [SCHEMAS, MOVED_BY_TIME],
    );
    return Object.fromEntries(rows.map(({ name, writes }) => [name, Number(writes)]));
  }
}
