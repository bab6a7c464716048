import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startPostgres, type PostgresServer } from '@crate/testing';
import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { readMigrations } from './migration-file.js';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));

/**
 * What migrations take from the release before theirs, or ask of it. That release still runs while replicas are replaced, and is gone
 * back to (ADR 0010), so what it needs goes a release after the one that stopped to need it: such a migration is listed here, with why.
 */
const ACCEPTED = [
  // Nothing had been released.
  '20261121120000_plans takes terraform_runs.log text',
  '20261121120000_run_logs takes engine_runs.log text',
];

const OF_THE_SCHEMA = `n.nspname = current_schema() AND c.relname <> '_prisma_migrations'`;

/** What statements of a release may name. */
const GIVEN = `
  SELECT c.relname AS fact FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
    WHERE relkind IN ('r', 'p', 'v', 'm', 'S') AND ${OF_THE_SCHEMA}
  UNION ALL SELECT format('%s.%s %s', c.relname, attname, format_type(atttypid, atttypmod))
    FROM pg_attribute JOIN pg_class c ON c.oid = attrelid JOIN pg_namespace n ON n.oid = relnamespace
    WHERE relkind IN ('r', 'p', 'v', 'm') AND attnum > 0 AND NOT attisdropped AND ${OF_THE_SCHEMA}
  UNION ALL SELECT format('%s(%s) %s', proname, pg_get_function_identity_arguments(p.oid), pg_get_function_result(p.oid))
    FROM pg_proc p JOIN pg_namespace n ON n.oid = pronamespace WHERE nspname = current_schema()`;

/** What rows have to be like, and `of` which table or column: one that comes with the rule is known to nobody before. */
const ASKED = `
  WITH columns AS (
    SELECT c.relname, attname, format('%s.%s %s', c.relname, attname, format_type(atttypid, atttypmod)) AS named,
      atthasdef OR attidentity <> '' AS fills_itself
    FROM pg_attribute JOIN pg_class c ON c.oid = attrelid JOIN pg_namespace n ON n.oid = relnamespace
    WHERE relkind IN ('r', 'p') AND attnum > 0 AND NOT attisdropped AND attnotnull AND ${OF_THE_SCHEMA})
  SELECT named AS of, format('%s.%s never null', relname, attname) AS fact FROM columns
  UNION ALL SELECT relname, format('%s.%s given', relname, attname) FROM columns WHERE NOT fills_itself
  UNION ALL SELECT c.relname, format('%s %s', c.relname, pg_get_constraintdef(k.oid))
    FROM pg_constraint k JOIN pg_class c ON c.oid = conrelid JOIN pg_namespace n ON n.oid = relnamespace
    WHERE contype IN ('c', 'f', 'x') AND ${OF_THE_SCHEMA}
  UNION ALL SELECT c.relname, pg_get_indexdef(indexrelid)
    FROM pg_index JOIN pg_class c ON c.oid = indrelid JOIN pg_namespace n ON n.oid = relnamespace
    WHERE indisunique AND ${OF_THE_SCHEMA}`;

interface Schema {
  readonly given: ReadonlySet<string>;
  readonly asked: readonly { readonly of: string; readonly fact: string }[];
}

let server: PostgresServer;

beforeAll(async () => {
  server = await startPostgres();
});
afterAll(async () => server.stop());

async function look(client: pg.Client): Promise<Schema> {
  const { rows: given } = await client.query<{ fact: string }>(GIVEN);
  const { rows: asked } = await client.query<{ of: string; fact: string }>(ASKED);
  return { given: new Set(given.map(({ fact }) => fact)), asked };
}

function refusals(before: Schema, after: Schema): string[] {
  const asked = new Set(before.asked.map(({ fact }) => fact));
  return [
    ...[...before.given].filter((fact) => !after.given.has(fact)).map((fact) => `takes ${fact}`),
    ...after.asked.filter(({ of, fact }) => before.given.has(of) && !asked.has(fact)).map(({ fact }) => `asks ${fact}`),
  ];
}

/** Applies files in the order in which they were made, and gives what each takes or asks. */
async function apply(files: readonly { readonly name: string; readonly sql: string }[]): Promise<string[]> {
  const client = new pg.Client({ connectionString: (await server.createDatabase()).url });
  await client.connect();
  try {
    const found: string[] = [];
    for (const { name, sql } of files.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const before = await look(client);
      await client.query(sql);
      found.push(...refusals(before, await look(client)).map((refusal) => `${name} ${refusal}`));
    }
    return found;
  } finally {
    await client.end();
  }
}

const directoriesOf = (pattern: string): string[] => globSync(pattern, { cwd: ROOT }).map((path) => `${ROOT}${path}`);

describe('shipped migrations', () => {
  it('leave the release before all that it needs', async () => {
    const ofLibraries = directoriesOf('libs/*/migrations');
    const found = new Set<string>();
    for (const ofService of directoriesOf('services/*/{migrations,prisma/migrations}'))
      for (const refusal of await apply(await readMigrations([...ofLibraries, ofService]))) found.add(refusal);
    expect([...found].sort()).toEqual(ACCEPTED);
  });

  it.each([
    ['drops a table', 'DROP TABLE t', ['takes t', 'takes t.n integer', 'takes t.m integer']],
    ['drops a column', 'ALTER TABLE t DROP n', ['takes t.n integer']],
    ['renames a column', 'ALTER TABLE t RENAME n TO o', ['takes t.n integer']],
    ['changes a type', 'ALTER TABLE t ALTER n TYPE bigint', ['takes t.n integer']],
    ['drops a function', 'DROP FUNCTION f', ['takes f(n integer) integer']],
    ['forbids null', `ALTER TABLE t ALTER n SET DEFAULT 1, ALTER n SET NOT NULL`, ['asks t.n never null']],
    ['wants a new column', 'ALTER TABLE t ADD o int NOT NULL', ['asks t.o given']],
    ['forgets a default', 'ALTER TABLE t ALTER m DROP DEFAULT', ['asks t.m given']],
    ['checks rows', 'ALTER TABLE t ADD CHECK (n > 0)', ['asks t CHECK ((n > 0))']],
    ['wants one of each', 'CREATE UNIQUE INDEX u ON t (n)', ['asks CREATE UNIQUE INDEX u ON public.t USING btree (n)']],
    ['adds columns', 'ALTER TABLE t ADD o int, ADD p int NOT NULL DEFAULT 1', []],
    ['adds what is of its own', 'CREATE TABLE u (n int PRIMARY KEY CHECK (n > 0)); CREATE INDEX i ON t (n)', []],
    ['replaces a function', 'CREATE OR REPLACE FUNCTION f(n int) RETURNS int LANGUAGE sql AS $$ SELECT n + 1 $$', []],
  ])('one that %s is told from the others', async (_what, sql, want) => {
    const first = `CREATE TABLE t (n int, m int NOT NULL DEFAULT 1);
      CREATE FUNCTION f(n int) RETURNS int LANGUAGE sql AS $$ SELECT n $$`;
    const files = [
      { name: '1', sql: first },
      { name: '2', sql },
    ];
    expect(await apply(files)).toEqual(want.map((refusal) => `2 ${refusal}`));
  });
});
