import type { Transaction } from '@crate/database';
import { movedTables, quoted, sequencesOf } from './catalog.js';
import { emptyTables, setSequences, withoutTriggers } from './copy.js';
import type { Installation } from './installation.js';

const KEPT = 'crate_before_move';
/** More than can have been given out since the record was kept. */
const REVISION_GAP = 1_000_000;

/** Keeps what a target has of its own, beside it, until the move is over. In the transaction that closes it. */
export async function keepBefore(target: Installation, transaction: Transaction): Promise<void> {
  await forgetBefore(transaction);
  await transaction.rowsOnce(`CREATE SCHEMA ${KEPT}`);
  await transaction.rowsOnce(`CREATE TABLE ${KEPT}.sequences (schema text, name text, value text)`);
  for (const schema of target.schemas) {
    for (const { name } of await movedTables(transaction, schema)) {
      await transaction.rowsOnce(`CREATE TABLE ${kept(schema, name)} AS TABLE ${quoted(schema)}.${quoted(name)}`);
    }
    for (const { name, value } of await sequencesOf(transaction, schema)) {
      await transaction.rowsOnce(`INSERT INTO ${KEPT}.sequences VALUES ($1, $2, $3)`, [schema, name, value]);
    }
  }
}

/** Makes a target what it was before, revisions and sequences included. */
export async function putBackBefore(target: Installation, transaction: Transaction): Promise<void> {
  for (const schema of target.schemas) {
    const tables = await movedTables(transaction, schema);
    await withoutTriggers(transaction, schema, tables, async () => {
      await emptyTables(transaction, schema, tables);
      for (const { name, columns } of tables) {
        const list = columns.join(', ');
        await transaction.rowsOnce(
          `INSERT INTO ${quoted(schema)}.${quoted(name)} (${list}) OVERRIDING SYSTEM VALUE SELECT ${list} FROM ${kept(schema, name)}`,
        );
      }
    });
    const sequences = await transaction.rowsOnce<{ name: string; value: string | null }>(
      `SELECT name, value FROM ${KEPT}.sequences WHERE schema = $1`,
      [schema],
    );
    await setSequences(transaction, schema, sequences);
  }
}

/**
 * Numbers that processes of the target had been given before the move mean nothing of what was moved: sequences, epochs among them, go on beyond those
 * of both, and so does the newest revision where that of the target was the greater one. Readers of the source are then told that theirs are gone.
 */
export async function goBeyondBefore(target: Installation, transaction: Transaction): Promise<void> {
  for (const schema of target.schemas) {
    await transaction.rowsOnce(
      `SELECT setval(format('%I.%I', kept.schema, kept.name)::regclass, kept.value::bigint)
       FROM ${KEPT}.sequences AS kept JOIN pg_sequences AS now ON now.schemaname = kept.schema AND now.sequencename = kept.name
       WHERE kept.schema = $1 AND kept.value::bigint > coalesce(now.last_value, 0)`,
      [schema],
    );
    const moved = await transaction.rowsOnce(
      `UPDATE ${quoted(schema)}.resource_head AS head SET revision = before.revision + ${REVISION_GAP}
       FROM ${kept(schema, 'resource_head')} AS before WHERE before.revision > head.revision RETURNING 1`,
    );
    if (moved.length === 0) continue;
    await transaction.rowsOnce(`SELECT set_config('search_path', $1, true)`, [quoted(schema)]);
    await transaction.rowsOnce('SELECT compact_resource_changes(0)');
  }
}

export async function forgetBefore(transaction: Transaction): Promise<void> {
  await transaction.rowsOnce(`DROP SCHEMA IF EXISTS ${KEPT} CASCADE`);
}

function kept(schema: string, table: string): string {
  return `${KEPT}.${quoted(`${schema}__${table}`)}`;
}
