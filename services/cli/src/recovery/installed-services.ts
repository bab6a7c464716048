import { SERVICE_ORDER, type LocalService } from '../up/service-order.js';
import { noCrateIn } from './refused-database.js';
import { openSchema, schemaOf, type Where } from './service-schema.js';

/** Shown to everybody: what a user may not read there is refused once it is read. */
const MIGRATED = `SELECT nspname AS schema FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE relname = 'resources'`;

/**
 * The services that have run on a database, in the order they start. A platform of one cluster has no cloud-mgmt: its schema is
 * there, and empty. Throws NotFound where there is none.
 */
export async function installedServices(where: Where): Promise<readonly LocalService[]> {
  const database = openSchema(where, 'lifecycle');
  try {
    const rows = await database.rowsOnce<{ schema: string }>(MIGRATED);
    const found = SERVICE_ORDER.filter((service) => rows.some(({ schema }) => schema === schemaOf(service)));
    if (found.length === 0) throw noCrateIn(where.called);
    return found;
  } finally {
    await database.close();
  }
}
