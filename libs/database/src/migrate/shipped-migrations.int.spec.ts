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
  // They refuse less than those before.
  '20261126110000_checkpoints_go_with_their_rows asks CREATE TRIGGER audit_checkpoints_are_append_only BEFORE UPDATE OR TRUNCATE ON public.audit_checkpoints FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change()',
  '20261126110000_checkpoints_go_with_their_rows asks CREATE TRIGGER audit_checkpoints_are_kept BEFORE DELETE ON public.audit_checkpoints FOR EACH ROW EXECUTE FUNCTION refuse_audit_delete()',
];

const OF_THE_SCHEMA = `n.nspname = current_schema() AND c.relname <> '_prisma_migrations'`;

const OF_TABLES = `FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace`;

/** What rows have to be one of each of, as `ON CONFLICT` names it: by what is in the key, not by its name. */
const KEY = `format('UNIQUE ON %s', substring(pg_get_indexdef(indexrelid) FROM ' ON (.*)'))`;

/** What statements of a release may name. */
const GIVEN = `
  SELECT c.relname AS fact ${OF_TABLES} WHERE relkind IN ('r', 'p', 'v', 'm', 'S') AND ${OF_THE_SCHEMA}
  UNION ALL SELECT format('%s.%s %s', c.relname, attname, format_type(atttypid, atttypmod))
    ${OF_TABLES} JOIN pg_attribute ON attrelid = c.oid
    WHERE relkind IN ('r', 'p', 'v', 'm') AND attnum > 0 AND NOT attisdropped AND ${OF_THE_SCHEMA}
  UNION ALL SELECT ${KEY} ${OF_TABLES} JOIN pg_index ON indrelid = c.oid
    WHERE indisunique AND indimmediate AND ${OF_THE_SCHEMA}
  UNION ALL SELECT format('%s(%s) %s', proname, pg_get_function_identity_arguments(p.oid), pg_get_function_result(p.oid))
    FROM pg_proc p JOIN pg_namespace n ON n.oid = pronamespace WHERE nspname = current_schema()`;

/**
 * What rows have to be like, and `of` which table and columns: what is of one that comes with the rule is known to nobody before.
 * A column that the release before leaves null frees its rows of keys and references, and of what is checked of it alone: a check of
 * several columns may fail without one of them.
 */
const ASKED = `
  WITH columns AS (
    SELECT c.relname, attrelid, attnum, attname, attnotnull, atthasdef OR attidentity <> '' AS fills_itself,
      attidentity = 'a' OR attgenerated <> '' AS takes_nothing,
      format('%s.%s %s', c.relname, attname, format_type(atttypid, atttypmod)) AS named
    ${OF_TABLES} JOIN pg_attribute ON attrelid = c.oid
    WHERE relkind IN ('r', 'p') AND attnum > 0 AND NOT attisdropped AND ${OF_THE_SCHEMA}),
  left_null AS (SELECT * FROM columns WHERE NOT attnotnull AND NOT fills_itself)
  SELECT ARRAY[named] AS of, format('%s.%s never null', relname, attname) AS fact FROM columns WHERE attnotnull
  UNION ALL SELECT ARRAY[CASE WHEN attnotnull THEN relname ELSE named END], format('%s.%s given', relname, attname)
    FROM columns WHERE NOT fills_itself
  UNION ALL SELECT ARRAY[named], format('%s.%s not given', relname, attname) FROM columns WHERE takes_nothing
  UNION ALL SELECT c.relname || ARRAY(SELECT named FROM left_null
      WHERE attrelid = c.oid AND attnum = ANY (conkey)
        AND (contype <> 'c' OR cardinality(conkey) = 1 AND pg_get_constraintdef(k.oid) NOT LIKE '%NOT NULL%')),
    format('%s %s', c.relname, pg_get_constraintdef(k.oid))
    ${OF_TABLES} JOIN pg_constraint k ON conrelid = c.oid WHERE contype IN ('c', 'f', 'x') AND ${OF_THE_SCHEMA}
  UNION ALL SELECT c.relname || ARRAY(SELECT named FROM left_null
      WHERE attrelid = c.oid AND attnum = ANY ((indkey::int2[])[0:indnkeyatts - 1]) AND NOT indnullsnotdistinct),
    ${KEY} ${OF_TABLES} JOIN pg_index ON indrelid = c.oid WHERE indisunique AND ${OF_THE_SCHEMA}
  UNION ALL SELECT ARRAY[c.relname::text], pg_get_triggerdef(t.oid)
    ${OF_TABLES} JOIN pg_trigger t ON tgrelid = c.oid WHERE NOT tgisinternal AND ${OF_THE_SCHEMA}`;

interface Schema {
  readonly given: ReadonlySet<string>;
  readonly asked: readonly Rule[];
}

interface Rule {
  readonly of: readonly string[];
  readonly fact: string;
}

let server: PostgresServer;

beforeAll(async () => {
  server = await startPostgres();
});
afterAll(async () => server.stop());

async function look(client: pg.Client): Promise<Schema> {
  const { rows: given } = await client.query<{ fact: string }>(GIVEN);
  const { rows: asked } = await client.query<Rule>(ASKED);
  return { given: new Set(given.map(({ fact }) => fact)), asked };
}

function refusals(before: Schema, after: Schema): string[] {
  const asked = new Set(before.asked.map(({ fact }) => fact));
  return [
    ...[...before.given].filter((fact) => !after.given.has(fact)).map((fact) => `takes ${fact}`),
    ...after.asked
      .filter(({ of, fact }) => !asked.has(fact) && of.every((each) => before.given.has(each)))
      .map(({ fact }) => `asks ${fact}`),
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
    ['forgets a default of what may be null', 'ALTER TABLE k ALTER b DROP DEFAULT', ['asks k.b given']],
    ['drops a primary key', 'ALTER TABLE k DROP CONSTRAINT k_pkey', ['takes UNIQUE ON public.k USING btree (a)']],
    ['drops a key', 'DROP INDEX k_b; CREATE INDEX ON k (b)', ['takes UNIQUE ON public.k USING btree (b)']],
    [
      'puts a key off',
      'ALTER TABLE k DROP CONSTRAINT k_pkey, ADD UNIQUE (a) DEFERRABLE',
      ['takes UNIQUE ON public.k USING btree (a)'],
    ],
    ['writes a column by itself', 'ALTER TABLE k ALTER a ADD GENERATED ALWAYS AS IDENTITY', ['asks k.a not given']],
    [
      'makes a column one that is worked out',
      'ALTER TABLE t DROP n, ADD n int GENERATED ALWAYS AS (m) STORED',
      ['asks t.n not given'],
    ],
    [
      'looks at each row',
      'CREATE TRIGGER no BEFORE UPDATE ON t FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()',
      [
        'asks CREATE TRIGGER no BEFORE UPDATE ON public.t FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()',
      ],
    ],
    ['checks rows', 'ALTER TABLE t ADD CHECK (n > 0)', ['asks t CHECK ((n > 0))']],
    ['wants one of each', 'CREATE UNIQUE INDEX u ON t (n)', ['asks UNIQUE ON public.t USING btree (n)']],
    ['adds columns', 'ALTER TABLE t ADD o int, ADD p int NOT NULL DEFAULT 1', []],
    [
      'checks a new column with an old one',
      'ALTER TABLE t ADD o int, ADD CHECK (n > 0 AND o > 0)',
      ['asks t CHECK (((n > 0) AND (o > 0)))'],
    ],
    [
      'checks that a new column is given',
      'ALTER TABLE t ADD o int CHECK (o IS NOT NULL)',
      ['asks t CHECK ((o IS NOT NULL))'],
    ],
    [
      'checks what a new column is filled with',
      'ALTER TABLE t ADD o int DEFAULT 1 CHECK (o > 0)',
      ['asks t CHECK ((o > 0))'],
    ],
    [
      'wants one of each of what fills itself',
      'ALTER TABLE t ADD o int DEFAULT 1 UNIQUE',
      ['asks UNIQUE ON public.t USING btree (o)'],
    ],
    [
      'wants one alone without a new column',
      'ALTER TABLE t ADD o int UNIQUE NULLS NOT DISTINCT',
      ['asks UNIQUE ON public.t USING btree (o) NULLS NOT DISTINCT'],
    ],
    ['checks a new column', 'ALTER TABLE t ADD o int CHECK (o > 0)', []],
    ['refers from a new column', 'ALTER TABLE t ADD o int REFERENCES k', []],
    ['wants one of each of a new column', 'ALTER TABLE t ADD o int; CREATE UNIQUE INDEX u ON t (n, o)', []],
    ['renames a key', 'ALTER INDEX k_pkey RENAME TO k_key', []],
    ['adds what is of its own', 'CREATE TABLE u (n int PRIMARY KEY CHECK (n > 0)); CREATE INDEX i ON t (n)', []],
    ['replaces a function', 'CREATE OR REPLACE FUNCTION f(n int) RETURNS int LANGUAGE sql AS $$ SELECT n + 1 $$', []],
  ])('one that %s is told from the others', async (_what, sql, want) => {
    const first = `CREATE TABLE t (n int, m int NOT NULL DEFAULT 1);
      CREATE TABLE k (a int PRIMARY KEY, b int DEFAULT 1); CREATE UNIQUE INDEX k_b ON k (b);
      CREATE FUNCTION f(n int) RETURNS int LANGUAGE sql AS $$ SELECT n $$`;
    const files = [
      { name: '1', sql: first },
      { name: '2', sql },
    ];
    expect(await apply(files)).toEqual(want.map((refusal) => `2 ${refusal}`));
  });
});
