import type { SqlRunner, Transaction } from '@crate/database';
import { movedTables, quoted, sequencesOf, type MovedTable } from './catalog.js';

const FETCHED_ROWS = 200;
/** Of text in one statement; a row that is larger goes alone. */
const BATCH_CHARACTERS = 8 * 1024 * 1024;

export interface CopyOptions {
  readonly schema: string;
  /** Sees one moment of the source. */
  readonly from: Transaction;
  /** Holds the record of the move in the target. */
  readonly to: Transaction;
}

/**
 * Makes a schema of the target what it is in the source: all rows byte for byte, and sequences. Only in its own transaction it goes past triggers, its
 * own fence and the guard of the audit log included; everybody else waits for it, and is refused afterwards as before.
 */
export async function copySchema({ schema, from, to }: CopyOptions): Promise<void> {
  const tables = await movedTables(from, schema);
  await withoutTriggers(to, schema, tables, async () => {
    await emptyTables(to, schema, tables);
    for (const table of tables) await copyTable(schema, table, from, to);
  });
  await setSequences(to, schema, await sequencesOf(from, schema));
}

/** Has work done past the triggers of tables; they are back when the transaction is over, whatever comes of it. */
export async function withoutTriggers(
  transaction: Transaction,
  schema: string,
  tables: readonly MovedTable[],
  work: () => Promise<void>,
): Promise<void> {
  const all = async (what: string): Promise<void> => {
    for (const { name } of tables)
      await transaction.rowsOnce(`ALTER TABLE ${quoted(schema)}.${quoted(name)} ${what} TRIGGER USER`);
  };
  await all('DISABLE');
  await work();
  await all('ENABLE');
}

/** All at once: some refer to others. */
export async function emptyTables(sql: SqlRunner, schema: string, tables: readonly MovedTable[]): Promise<void> {
  await sql.rowsOnce(`TRUNCATE ${tables.map(({ name }) => `${quoted(schema)}.${quoted(name)}`).join(', ')}`);
}

export async function setSequences(
  sql: SqlRunner,
  schema: string,
  sequences: readonly { readonly name: string; readonly value: string | null }[],
): Promise<void> {
  for (const { name, value } of sequences) {
    const sequence = `${quoted(schema)}.${quoted(name)}`;
    if (value === null) await sql.rowsOnce(`ALTER SEQUENCE ${sequence} RESTART`);
    else await sql.rowsOnce('SELECT setval($1::regclass, $2::bigint)', [sequence, value]);
  }
}

/** Rows travel as PostgreSQL writes and reads them itself, so nothing is lost of any type. */
async function copyTable(
  schema: string,
  { name, columns }: MovedTable,
  from: Transaction,
  to: Transaction,
): Promise<void> {
  const table = `${quoted(schema)}.${quoted(name)}`;
  const list = columns.join(', ');
  const insert = `INSERT INTO ${table} (${list}) OVERRIDING SYSTEM VALUE
    SELECT ${columns.map((column) => `(row).${column}`).join(', ')}
    FROM (SELECT line::${table} AS row FROM unnest($1::text[]) AS line OFFSET 0) AS lines`;
  for await (const lines of linesOf(from, table)) await to.rowsOnce(insert, [lines]);
}

async function* linesOf(from: Transaction, table: string): AsyncGenerator<readonly string[]> {
  await from.rowsOnce(`DECLARE moved_rows NO SCROLL CURSOR FOR SELECT row::text AS line FROM ${table} AS row`);
  for (;;) {
    const rows = await from.rowsOnce<{ line: string }>(`FETCH ${FETCHED_ROWS} FROM moved_rows`);
    if (rows.length === 0) break;
    yield* batches(rows.map(({ line }) => line));
  }
  await from.rowsOnce('CLOSE moved_rows');
}

function* batches(lines: readonly string[]): Generator<readonly string[]> {
  let batch: string[] = [];
  let characters = 0;
  for (const line of lines) {
    if (batch.length > 0 && characters + line.length > BATCH_CHARACTERS) {
      yield batch;
      [batch, characters] = [[], 0];
    }
    batch.push(line);
    characters += line.length;
  }
  if (batch.length > 0) yield batch;
}
