import type { Database } from '@crate/database';
import { installedServices } from './installed-services.js';
import { openSchema, platformAt } from './service-schema.js';
import { takeBack, type TakeBackRequest } from './take-back.js';

/** What one service knows of its database having been set back. */
export interface RecoveryRow {
  readonly service: string;
  /** How often that has happened. */
  readonly epoch: number;
  readonly begunAt: Date | null;
  readonly reason: string | null;
  readonly confirmedAt: Date | null;
  readonly confirmedBy: string | null;
}

const READ = `SELECT epoch::int AS epoch, begun_at AS "begunAt", reason, confirmed_at AS "confirmedAt",
  confirmed_by AS "confirmedBy" FROM recovery`;
const CONFIRM = `UPDATE recovery SET confirmed_at = now(), confirmed_by = $1
  WHERE begun_at IS NOT NULL AND confirmed_at IS NULL`;
/** What was held back is looked at again now, and not when its patience ends. */
const WAKE = 'UPDATE work_items SET due_at = now() WHERE lease_until IS NULL AND due_at > now()';

/** Of the parts of a cluster; lifecycle, which goes on with all of them, is last. */
const OWNERS = ['cloud-mgmt', 'cluster-mgmt', 'lifecycle'];

/** Every installed service of the platform whose database is at `url`. */
export async function listRecoveries(url: string): Promise<readonly RecoveryRow[]> {
  const rows: RecoveryRow[] = [];
  for (const service of await installedServices(platformAt(url))) {
    const [row] = await withSchema(url, service, (database) => database.rowsOnce<Omit<RecoveryRow, 'service'>>(READ));
    if (row) rows.push({ service, ...row });
  }
  return rows;
}

/** Ends the recovery of every installed service; gives those that were recovering. Idempotent. */
export async function confirmRecoveries(url: string, person: string): Promise<readonly string[]> {
  const confirmed: string[] = [];
  for (const service of await installedServices(platformAt(url))) {
    const count = await withSchema(url, service, (database) =>
      database.transaction(async (transaction) => {
        const changed = await transaction.execute(CONFIRM, [person]);
        if (changed > 0) await transaction.execute(WAKE);
        return changed;
      }),
    );
    if (count > 0) confirmed.push(service);
  }
  return confirmed;
}

/** Brings a cluster back from a later database at `from`, see `takeBack`. */
export async function takeBackCluster(
  url: string,
  cluster: Omit<TakeBackRequest, 'schemas'>,
  from: string,
): Promise<readonly string[]> {
  const source = { url: from, called: 'The database at --from' };
  // By what is there: a service that is not here, and has something to be brought, must not be passed over.
  const installed: readonly string[] = await installedServices(source);
  const schemas = OWNERS.filter((service) => installed.includes(service)).map((service) => ({
    service,
    here: openSchema(platformAt(url), service),
    later: openSchema(source, service),
  }));
  try {
    return await takeBack({ ...cluster, schemas });
  } finally {
    await Promise.all(schemas.flatMap(({ here, later }) => [here.close(), later.close()]));
  }
}

async function withSchema<T>(url: string, service: string, work: (database: Database) => Promise<T>): Promise<T> {
  const database = openSchema(platformAt(url), service);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}
