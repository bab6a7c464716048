import type { Database, Transaction } from '@crate/database';
import { conflict } from '@crate/errors';
import { SERVICE_ORDER } from '../up/service-order.js';
import { openSchema } from './service-schema.js';

/** More than can have been written, and begun, since the backup: nobody knows how much that was. */
const GAP = 1_000_000_000;
const RUNNING = `SELECT DISTINCT application_name AS name FROM pg_stat_activity
  WHERE datname = current_database() AND application_name = ANY($1)`;
const IS_OPEN = 'SELECT FROM recovery WHERE begun_at IS NOT NULL AND confirmed_at IS NULL';

/**
 * Begins the recovery of every service by hand, as it does itself where its marker is left: what clients and processes saw since the backup counts no more,
 * and nothing is destroyed until somebody confirms. Gives those for which it was begun; one that recovers already is left
 * alone, so that it may be done again after it was broken off. Throws Conflict while a service runs on the database.
 */
export async function beginRecoveries(url: string, reason: string): Promise<readonly string[]> {
  const begun: string[] = [];
  for (const service of SERVICE_ORDER) {
    const [main, events] = [openSchema(url, service), openSchema(url, service, 'events')];
    try {
      if (begun.length === 0) await refuseRunning(main);
      if (await begin(main, events, reason)) begun.push(service);
    } finally {
      await Promise.all([main.close(), events.close()]);
    }
  }
  return begun;
}

async function refuseRunning(database: Database): Promise<void> {
  const rows = await database.rowsOnce<{ name: string }>(RUNNING, [SERVICE_ORDER]);
  if (rows.length === 0) return;
  const names = rows.map(({ name }) => name).join(', ');
  throw conflict(`There are services on this database: ${names}. Stop them first`, { reason: 'ServicesRunning' });
}

/** Events first: broken off between the two, all of it is done again. */
async function begin(main: Database, events: Database, reason: string): Promise<boolean> {
  if ((await main.rowsOnce(IS_OPEN)).length > 0) return false;
  await events.transaction(forgetChanges);
  await main.transaction(async (transaction) => {
    await forgetChanges(transaction);
    await endLeases(transaction);
    await transaction.execute(
      `UPDATE recovery SET epoch = epoch + 1, begun_at = now(), reason = $1, confirmed_at = NULL, confirmed_by = NULL`,
      [reason],
    );
  });
  return true;
}

async function forgetChanges(transaction: Transaction): Promise<void> {
  await transaction.execute(`UPDATE resource_head SET revision = revision + ${GAP}`);
  await transaction.execute('SELECT compact_resource_changes(0)');
}

async function endLeases(transaction: Transaction): Promise<void> {
  await transaction.execute(`SELECT setval('work_epochs', nextval('work_epochs') + ${GAP})`);
  await transaction.execute('UPDATE work_items SET lease_until = NULL, due_at = now(), attempts = 0');
  await transaction.execute(
    'UPDATE secret_versions SET epoch = (SELECT last_value FROM work_epochs) WHERE epoch IS NOT NULL',
  );
}
