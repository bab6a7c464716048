import type { Transaction } from '@crate/database';
import { hasCode } from '@crate/errors';
import { setTimeout as delay } from 'node:timers/promises';
import { fencedTables, quoted } from './catalog.js';
import type { Installation } from './installation.js';

const WRITES = 'moving_refuses_writes';
const CLAIMS = 'moving_refuses_claims';
const CLAIMED_TABLE = 'work_items';
const LOCK_TIMEOUT_MS = 3_000;
const PAUSE_MS = 250;
const MOST_TRIES = 200;

/** From the commit on nothing in the schemas can be written, by no connection. Waits for transactions that have written. Idempotent. */
export async function refuseWrites(installation: Installation, transaction: Transaction): Promise<void> {
  await setOnAll(installation, transaction, (table) => [
    `DROP TRIGGER IF EXISTS ${WRITES} ON ${table}`,
    `CREATE TRIGGER ${WRITES} BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON ${table}
     FOR EACH STATEMENT EXECUTE FUNCTION ${functionBeside(table)}()`,
  ]);
}

/** From the commit on no reconciler takes work. What is at hand goes on, its leases are renewed, and writes are taken. Idempotent. */
export async function refuseClaims(installation: Installation, transaction: Transaction): Promise<void> {
  await setOnAll(installation, transaction, (table) =>
    table.endsWith(`.${quoted(CLAIMED_TABLE)}`)
      ? [
          `DROP TRIGGER IF EXISTS ${CLAIMS} ON ${table}`,
          `CREATE TRIGGER ${CLAIMS} BEFORE UPDATE ON ${table} FOR EACH ROW WHEN (OLD.epoch IS DISTINCT FROM NEW.epoch)
           EXECUTE FUNCTION ${functionBeside(table)}()`,
        ]
      : [],
  );
}

/** From the commit on the schemas are as without a move. Idempotent. */
export async function liftFence(installation: Installation, transaction: Transaction): Promise<void> {
  await setOnAll(installation, transaction, (table) => [
    `DROP TRIGGER IF EXISTS ${WRITES} ON ${table}`,
    `DROP TRIGGER IF EXISTS ${CLAIMS} ON ${table}`,
  ]);
}

/** As a transaction of the installation; tried again while writers hold what it has to lock, or it is the victim of a deadlock with one. */
export async function fenced<T>(
  installation: Installation,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await installation.transaction(async (transaction) => {
        await transaction.rowsOnce(`SELECT set_config('lock_timeout', '${LOCK_TIMEOUT_MS}', true)`);
        return work(transaction);
      });
    } catch (error) {
      if (tries >= MOST_TRIES || !isContended(error)) throw error;
    }
    await delay(PAUSE_MS);
  }
}

/** Our own refusals are conflicts, too, but with a reason. */
function isContended(error: unknown): boolean {
  return hasCode(error, 'Conflict') && (error as { details?: { reason?: string } }).details?.reason === undefined;
}

async function setOnAll(
  installation: Installation,
  transaction: Transaction,
  statementsOf: (table: string) => readonly string[],
): Promise<void> {
  for (const schema of installation.schemas) {
    for (const { name } of await fencedTables(transaction, schema)) {
      for (const statement of statementsOf(`${quoted(schema)}.${quoted(name)}`)) await transaction.rowsOnce(statement);
    }
  }
}

/** Each schema has the function, owned by its service. */
function functionBeside(table: string): string {
  return `${table.slice(0, table.indexOf('.'))}.refuse_while_moving`;
}
