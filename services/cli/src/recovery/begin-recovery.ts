import type { Database, Transaction } from '@crate/database';
import { conflict } from '@crate/errors';
import { lockHead } from '@crate/resource-store';
import { SERVICE_ORDER } from '../up/service-order.js';
import { installedServices } from './installed-services.js';
import { openSchema, platformAt } from './service-schema.js';

/**
 * More than can have been written, and begun, since the backup, also by an earlier restore of the same one: without a marker nobody knows how
 * much that was, and no thousand a second.
 */
const GAP = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';
const RUNNING = `SELECT DISTINCT application_name AS name FROM pg_stat_activity
  WHERE datname = current_database() AND application_name = ANY($1)`;

/**
 * Begins the recovery of every installed service by hand, as each does itself where its marker is left: what clients and processes
 * saw since the backup counts no more, and nothing is destroyed until somebody confirms. One that was open in the backup is begun anew, and
 * so is one that was broken off half-way. Gives the services. Throws Conflict while one of them runs on the database.
 */
export async function beginRecoveries(url: string, reason: string): Promise<readonly string[]> {
  const services = await installedServices(platformAt(url));
  for (const service of services) {
    const main = openSchema(platformAt(url), service);
    const events = openSchema(platformAt(url), service, 'events');
    try {
      await refuseRunning(main);
      await begin(main, events, reason);
    } finally {
      await Promise.all([main.close(), events.close()]);
    }
  }
  return services;
}

/** The same for people. A backup that lacks a service reads as a platform that never had it: which one it is, they know. */
export function begunText(services: readonly string[]): string {
  const missing = SERVICE_ORDER.filter((service) => !services.includes(service));
  const never = missing.length === 0 ? '' : `; never ran on this database: ${missing.join(', ')}`;
  return `Begun for ${services.join(', ')}${never}`;
}

async function refuseRunning(database: Database): Promise<void> {
  const rows = await database.rowsOnce<{ name: string }>(RUNNING, [SERVICE_ORDER]);
  if (rows.length === 0) return;
  const names = rows.map(({ name }) => name).join(', ');
  throw conflict(`There are services on this database: ${names}. Stop them first`, { reason: 'ServicesRunning' });
}

async function begin(main: Database, events: Database, reason: string): Promise<void> {
  await events.transaction(forgetChanges);
  await main.transaction(async (transaction) => {
    await forgetChanges(transaction);
    await endLeases(transaction);
    await transaction.execute(
      `UPDATE recovery SET epoch = epoch + 1, begun_at = now(), reason = $1, confirmed_at = NULL, confirmed_by = NULL`,
      [reason],
    );
  });
}

async function forgetChanges(transaction: Transaction): Promise<void> {
  await lockHead(transaction);
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
