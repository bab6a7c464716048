import { Database, sqlStateOf, type SqlRunner } from '@crate/database';
import { PlatformError } from '@crate/errors';

/** No such password, or none at all; and a role that may not log in. */
const NOT_LET_IN = /^28/;
const LACKS_A_RIGHT = '42501';
const SOMEBODY_THERE = 'SELECT FROM pg_stat_activity WHERE usename = $1 LIMIT 1';

/**
 * Lets the role of `url` in by its password, where the server does not: one that came with a restored database has no password, or that of then. Roles
 * are those of the whole server: it keeps the one it has while somebody is there by it. Idempotent. Throws Conflict.
 */
export async function ensureLetIn(owner: SqlRunner, url: string): Promise<void> {
  if (!(await isRefused(url))) return;
  const { username: role, password } = new URL(url);
  const [somebody] = await owner.rowsOnce(SOMEBODY_THERE, [role]);
  if (somebody) throw roleInUse(role);
  try {
    await owner.rowsOnce(`ALTER ROLE "${role}" LOGIN PASSWORD '${password}'`);
  } catch (error) {
    throw sqlStateOf(error) === LACKS_A_RIGHT ? roleOfAnother(role, error) : error;
  }
}

/** What else may be wrong says the service itself. */
async function isRefused(url: string): Promise<boolean> {
  const database = new Database({ url, schema: 'public', applicationName: 'crate-up', maxConnections: 1 });
  try {
    await database.rowsOnce('SELECT');
    return false;
  } catch (error) {
    return NOT_LET_IN.test(sqlStateOf(error) ?? '');
  } finally {
    await database.close();
  }
}

function roleInUse(role: string): PlatformError {
  const message = `Another installation is at work as the role ${role}, by another password: roles are those of the whole server`;
  const remedy =
    'Use a server of its own for each installation, or put the passwords of this one back into its data directory';
  return new PlatformError('Conflict', message, { details: { remedy } });
}

function roleOfAnother(role: string, cause: unknown): PlatformError {
  const message = `The role ${role} does not take the password of its service, and the owner of the database may not give it one`;
  const file = `services/${role.replaceAll('_', '-')}/database-password`;
  const remedy = `As a superuser: ALTER ROLE ${role} LOGIN PASSWORD '…', with what ${file} of the data directory says`;
  return new PlatformError('Conflict', message, { details: { remedy }, cause });
}
