import pg from 'pg';
import type { SecretScan } from './secret-scan.js';

const TABLES = `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
  WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1`;
const ROWS_AT_ONCE = 500;

/** Scans every row of every table as a dump would write it; bytes appear in hexadecimal, and as they are. */
export async function scanDatabase(scan: SecretScan, url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const { rows } = await client.query<{ name: string }>(TABLES);
    for (const { name } of rows) await scanTable(scan, client, name);
    await client.query('COMMIT');
  } finally {
    await client.end();
  }
}

async function scanTable(scan: SecretScan, client: pg.Client, table: string): Promise<void> {
  await client.query(`DECLARE dump NO SCROLL CURSOR FOR SELECT concat_ws(E'\n', t.*) AS row FROM ${table} t`);
  for (;;) {
    const { rows } = await client.query<{ row: string }>(`FETCH ${ROWS_AT_ONCE} FROM dump`);
    if (rows.length === 0) break;
    scan.scan(`table ${table}`, rows.map(({ row }) => row).join('\n'));
  }
  await client.query('CLOSE dump');
}

/** Where the server keeps its files, once everything that was written is in them. */
export async function flushedDataDirectory(url: string): Promise<string> {
  return withClient(url, async (client) => {
    await client.query('CHECKPOINT');
    const { rows } = await client.query<{ data_directory: string }>('SHOW data_directory');
    return rows[0]?.data_directory ?? '';
  });
}

/** Puts a text into a table, as bytes and as text. */
export async function plantInDatabase(url: string, text: string): Promise<void> {
  await withClient(url, async (client) => {
    await client.query('CREATE TABLE public.planted AS SELECT $1::text AS plain, convert_to($1, $2) AS bytes', [
      text,
      'UTF8',
    ]);
  });
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
