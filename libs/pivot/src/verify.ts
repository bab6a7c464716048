import type { Transaction } from '@crate/database';
import { movedTables, quoted, sequencesOf } from './catalog.js';
import { moveRefused, type Installation } from './installation.js';

/** What a schema holds, to be compared with the same one elsewhere. */
export interface SchemaSummary {
  readonly schema: string;
  /** Newest revision. */
  readonly revision: number;
  /** Number of objects by kind. */
  readonly kinds: Readonly<Record<string, number>>;
  /** Number of rows and a digest over all of them, by table; the last number of each sequence. */
  readonly contents: Readonly<Record<string, string>>;
}

const MOST_NAMED = 5;

/** Sums of digests do not depend on the order of rows, and need no memory. */
const CONTENT = `SELECT count(*) || ' rows, digest ' || coalesce(sum(('x' || left(hash, 15))::bit(60)::bigint), 0)
    || '-' || coalesce(sum(('x' || right(hash, 15))::bit(60)::bigint), 0) AS content
  FROM (SELECT encode(sha256(convert_to(row::text, 'UTF8')), 'hex') AS hash FROM`;

/** Everything a schema holds that is moved. */
export async function summaryOf(transaction: Transaction, schema: string): Promise<SchemaSummary> {
  const contents: Record<string, string> = {};
  for (const { name } of await movedTables(transaction, schema)) {
    const [row] = await transaction.rowsOnce<{ content: string }>(
      `${CONTENT} ${quoted(schema)}.${quoted(name)} AS row) AS hashes`,
    );
    contents[name] = row?.content ?? '';
  }
  for (const { name, value } of await sequencesOf(transaction, schema))
    contents[`sequence ${name}`] = value ?? 'unused';
  const kinds = await transaction.rowsOnce<{ kind: string; count: number }>(
    `SELECT kind, count(*)::int AS count FROM ${quoted(schema)}.resources GROUP BY kind ORDER BY kind`,
  );
  const [head] = await transaction.rowsOnce<{ revision: string }>(
    `SELECT revision FROM ${quoted(schema)}.resource_head`,
  );
  return {
    schema,
    revision: Number(head?.revision),
    kinds: Object.fromEntries(kinds.map(({ kind, count }) => [kind, count])),
    contents,
  };
}

/** Throws Conflict (`CopyDiffers`), naming tables, unless the target holds what the source does. Gives what that is. */
export async function verifyCopy(source: Installation, target: Installation): Promise<readonly SchemaSummary[]> {
  const [there, here] = await Promise.all([source, target].map(summariesOf));
  const differences = (there ?? []).flatMap((summary, index) => differencesOf(summary, here?.[index]));
  if (differences.length === 0) return there ?? [];
  const named = differences.slice(0, MOST_NAMED).join('; ');
  throw moveRefused('CopyDiffers', `The copy differs from ${source.name} in ${differences.length} places: ${named}`, {
    remedy: 'Take the move back with --rollback, and find out who writes past the services',
  });
}

async function summariesOf(installation: Installation): Promise<readonly SchemaSummary[]> {
  return installation.transaction(async (transaction) => {
    const summaries: SchemaSummary[] = [];
    for (const schema of installation.schemas) summaries.push(await summaryOf(transaction, schema));
    return summaries;
  });
}

function differencesOf(there: SchemaSummary, here: SchemaSummary | undefined): readonly string[] {
  const names = [...new Set([...Object.keys(there.contents), ...Object.keys(here?.contents ?? {})])];
  return names
    .filter((name) => there.contents[name] !== here?.contents[name])
    .map(
      (name) =>
        `${there.schema}.${name} (${there.contents[name] ?? 'absent'}, not ${here?.contents[name] ?? 'absent'})`,
    );
}
