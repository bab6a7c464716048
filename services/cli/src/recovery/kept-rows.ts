import type { Database, SqlRunner } from '@crate/database';

/**
 * What a service keeps beside its objects, by the column that names the object it belongs to, and a column that says nothing here: a
 * generation of an object that may stay as it is here is that of another spec.
 */
const KEPT_ROWS: Readonly<Record<string, readonly (readonly [table: string, column: string, without?: string])[]>> = {
  'cloud-mgmt': [
    ['secret_versions', 'owner_uid'],
    ['secret_heads', 'owner_uid'],
    ['terraform_runs', 'infrastructure_uid'],
  ],
  'cluster-mgmt': [
    ['secret_versions', 'owner_uid'],
    ['secret_heads', 'owner_uid'],
    ['engine_runs', 'cluster_uid', 'generation'],
  ],
  lifecycle: [],
};

/** Columns that the rows have and the table here has as well. One that came with a release since takes its default, as in rows of before. */
const COLUMNS = `SELECT string_agg(quote_ident(column_name), ', ') AS columns FROM information_schema.columns
  WHERE table_schema = current_schema() AND table_name = $1 AND ($2::jsonb -> 0) ? column_name`;
/** With room for those that are given out meanwhile. */
const RAISE_EPOCHS = `SELECT setval('work_epochs', $1::bigint + 1000000) FROM work_epochs WHERE last_value < $1::bigint`;

/** Owners with a way in there and none here, while nobody has confirmed: until then nothing is done with them here. */
const LOCKED_OUT = `SELECT DISTINCT owner_uid AS uid FROM jsonb_populate_recordset(NULL::secret_versions, $1::jsonb) there
  WHERE kind = 'kubeconfig' AND EXISTS (SELECT FROM recovery WHERE begun_at IS NOT NULL AND confirmed_at IS NULL)
    AND NOT EXISTS (SELECT FROM secret_versions here WHERE here.owner_uid = there.owner_uid AND here.kind = there.kind)`;

/** Nothing says which keys a service has: what stands under one shows that it has it. */
const UNKNOWN_KEYS = `SELECT DISTINCT key_id AS id FROM jsonb_populate_recordset(NULL::secret_versions, $1::jsonb) there
  WHERE owner_uid = ANY($2) AND NOT EXISTS (SELECT FROM secret_versions here WHERE here.key_id = there.key_id) ORDER BY 1`;

/** Rows of a table as JSON, and the column that names the object they belong to. */
interface TableRows {
  readonly table: string;
  readonly column: string;
  readonly rows: string;
}

/** What one service kept beside some of its objects, read from one database, to be put into another. */
export class KeptRows {
  private constructor(
    private readonly tables: readonly TableRows[],
    private readonly newestEpoch: string,
  ) {}

  static async read(later: Pick<Database, 'rowsOnce'>, service: string, uids: readonly string[]): Promise<KeptRows> {
    const tables: TableRows[] = [];
    for (const [table, column, without = ''] of KEPT_ROWS[service] ?? []) {
      const [row] = await later.rowsOnce<{ rows: string }>(
        `SELECT coalesce(jsonb_agg(to_jsonb(kept) - $2::text), '[]')::text AS rows FROM ${table} kept WHERE ${column} = ANY($1)`,
        [uids, without],
      );
      tables.push({ table, column, rows: row?.rows ?? '[]' });
    }
    const [newest] = await later.rowsOnce<{ epoch: string }>('SELECT last_value::text AS epoch FROM work_epochs');
    return new KeptRows(tables, newest?.epoch ?? '0');
  }

  /** Of which objects the other database has a way into a cluster that was only being made at the point that was restored. */
  async listLockedOut(transaction: SqlRunner): Promise<ReadonlySet<string>> {
    const found = await transaction.rows<{ uid: string }>(LOCKED_OUT, [this.secrets]);
    return new Set(found.map(({ uid }) => uid));
  }

  /** Ids of key-encryption keys that secrets of these objects stand under, and nothing here. */
  async listUnknownKeys(transaction: SqlRunner, uids: readonly string[]): Promise<readonly string[]> {
    const found = await transaction.rows<{ id: string }>(UNKNOWN_KEYS, [this.secrets, uids]);
    return found.map(({ id }) => id);
  }

  /**
   * Puts the rows of these objects in the place of those that are here. The epochs in them were given out by the other database: whoever
   * begins here from now on has a newer one, or would be refused as a holder of before.
   */
  async replace(transaction: SqlRunner, uids: readonly string[]): Promise<void> {
    await transaction.execute(RAISE_EPOCHS, [this.newestEpoch]);
    for (const table of this.tables) {
      await transaction.execute(`DELETE FROM ${table.table} WHERE ${table.column} = ANY($1)`, [uids]);
      await insert(transaction, table, uids);
    }
  }

  private get secrets(): string {
    return this.tables.find(({ table }) => table === 'secret_versions')?.rows ?? '[]';
  }
}

async function insert(
  transaction: SqlRunner,
  { table, column, rows }: TableRows,
  uids: readonly string[],
): Promise<void> {
  const [known] = await transaction.rows<{ columns: string | null }>(COLUMNS, [table, rows]);
  const columns = known?.columns ?? undefined;
  if (columns === undefined) return;
  await transaction.execute(
    `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM jsonb_populate_recordset(NULL::${table}, $1::jsonb) kept
      WHERE kept.${column} = ANY($2)`,
    [rows, uids],
  );
}
