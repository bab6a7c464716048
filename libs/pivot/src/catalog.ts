import type { SqlRunner } from '@crate/database';

/** Where each process of a service says that it is there. */
export const REPLICAS = 'service_replicas';
/** Tell of this database alone, and are never moved: what a move is at, which replicas are there, which migrations ran. */
const OWN_TABLES = ['installation_move', REPLICAS, '_prisma_migrations'];
/** Written again by whoever it tells of. */
const TOLD_AGAIN = ['service_reports'];

const SCHEMAS = `SELECT namespace.nspname AS schema FROM pg_class AS class JOIN pg_namespace AS namespace ON namespace.oid = class.relnamespace
  WHERE class.relname = 'installation_move' AND class.relkind = 'r' ORDER BY 1`;
const TABLES = `SELECT class.relname AS name,
    (SELECT array_agg(quote_ident(attname) ORDER BY attnum) FROM pg_attribute
      WHERE attrelid = class.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = '') AS columns,
    (SELECT string_agg(attname || ' ' || format_type(atttypid, atttypmod), ', ' ORDER BY attnum) FROM pg_attribute
      WHERE attrelid = class.oid AND attnum > 0 AND NOT attisdropped) AS shape,
    coalesce((SELECT array_agg(other.relname) FROM pg_constraint JOIN pg_class AS other ON other.oid = confrelid
      WHERE conrelid = class.oid AND contype = 'f'), '{}')::text[] AS parents
  FROM pg_class AS class WHERE class.relnamespace = $1::regnamespace AND class.relkind = 'r' ORDER BY 1`;

/** A table of a schema, as far as a move has to know it. */
export interface MovedTable {
  readonly name: string;
  /** Quoted, in order; without those that the database computes. */
  readonly columns: readonly string[];
  /** All columns with their types: rows written as text can be read where it is the same. */
  readonly shape: string;
  /** Tables whose rows its rows refer to. */
  readonly parents: readonly string[];
}

/** A name as it stands in SQL. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Schemas of services and of their events. */
export async function schemasOf(sql: SqlRunner): Promise<readonly string[]> {
  return (await sql.rowsOnce<{ schema: string }>(SCHEMAS)).map(({ schema }) => schema);
}

/** Tables that a fence closes: whatever is there, also of releases to come, but for what tells of this database alone. */
export async function fencedTables(sql: SqlRunner, schema: string): Promise<readonly MovedTable[]> {
  const tables = await sql.rowsOnce<MovedTable & Record<string, unknown>>(TABLES, [quoted(schema)]);
  return tables.filter(({ name }) => !OWN_TABLES.includes(name));
}

/** Tables whose rows are moved; those that others refer to come first. */
export async function movedTables(sql: SqlRunner, schema: string): Promise<readonly MovedTable[]> {
  const left = (await fencedTables(sql, schema)).filter(({ name }) => !TOLD_AGAIN.includes(name));
  const ordered: MovedTable[] = [];
  while (left.length > 0) {
    const isFree = ({ name, parents }: MovedTable): boolean =>
      !left.some((other) => other.name !== name && parents.includes(other.name));
    // Tables that refer to each other in a ring have no order: the first one is as good as any.
    ordered.push(...left.splice(Math.max(0, left.findIndex(isFree)), 1));
  }
  return ordered;
}

/** Names of the migrations that were applied to a schema, in order. */
export async function migrationsOf(sql: SqlRunner, schema: string): Promise<readonly string[]> {
  const rows = await sql.rowsOnce<{ name: string }>(
    `SELECT migration_name AS name FROM ${quoted(schema)}._prisma_migrations
     WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
}

export interface SequenceValue {
  readonly name: string;
  /** Null: nothing was taken yet. */
  readonly value: string | null;
}

export async function sequencesOf(sql: SqlRunner, schema: string): Promise<readonly SequenceValue[]> {
  return sql.rowsOnce<SequenceValue & Record<string, unknown>>(
    'SELECT sequencename AS name, last_value::text AS value FROM pg_sequences WHERE schemaname = $1 ORDER BY 1',
    [schema],
  );
}
