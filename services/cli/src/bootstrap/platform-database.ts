import { randomBytes } from 'node:crypto';
import { Database, sqlStateOf } from '@crate/database';
import { hasCode, type PlatformError } from '@crate/errors';
import type { ReleaseSecrets } from '@crate/helm-chart';
import { ensureMembership, ensureServiceRole } from '../up/service-databases.js';
import { SERVICE_ORDER } from '../up/service-order.js';
import { whyUnreachable } from '../output/why-unreachable.js';
import { waitUntil } from '../up/wait.js';
import { findText } from '../up/secret-file.js';
import type { BootstrapDir } from './bootstrap-dir.js';
import { withDatabaseUrl } from './platform-database-url.js';
import { refusal } from './refusal.js';
import { databaseUrlOf } from './release-secrets.js';
import type { BootstrapRequest } from './request.js';
import type { BootstrapScope } from './scope.js';
import { bundledServers } from './servers/bundled-servers.js';

const SCHEMAS = SERVICE_ORDER.map((service) => service.replaceAll('-', '_')).flatMap((role) => [
  role,
  `${role}_events`,
]);

const REFUSES = 'DatabaseRefuses';
/** A wrong user or password, no entry for them, or no such database. */
const LETS_NOBODY_IN = /^(28|3D)/;
const LACKS_A_RIGHT = '42501';

const NAMES_IN_USE = `SELECT nspname AS name FROM pg_namespace WHERE nspname = ANY($1)
  UNION SELECT rolname FROM pg_roles WHERE rolname = ANY($1) ORDER BY 1`;

/**
 * Throws Unavailable (`DatabaseUnreachable`) or Conflict (`DatabaseRefuses`, `DatabaseInUse`, `DatabaseForbids`) unless an installation may begin
 * there. Leaves nothing behind.
 */
export async function checkDatabase(url: string): Promise<void> {
  await within(url, async (database) => {
    const found = await database.rowsOnce<{ name: string }>(NAMES_IN_USE, [SCHEMAS]);
    if (found.length === 0) return checkRights(database);
    throw refusal({
      reason: 'DatabaseInUse',
      message: `The database has schemas, or its server roles, of these names: ${found.map(({ name }) => name).join(', ')}`,
      remedy: 'Give an empty database, on a server that no other installation uses, with --database-url-file',
    });
  });
}

/** By doing what will be done: rights come by many ways. */
async function checkRights(database: Database): Promise<void> {
  const [name = ''] = SCHEMAS;
  const done = new Error('Tried, and taken back');
  const tried = database.transaction(async (transaction) => {
    await ensureServiceRole(transaction, name, randomBytes(24).toString('hex'));
    throw done;
  });
  const cause = await tried.catch((error: unknown) => error as Error);
  if (cause === done) return;
  if (!hasCode(cause, 'Invariant') && sqlStateOf(cause) !== LACKS_A_RIGHT) throw cause;
  throw refusal({
    reason: 'DatabaseForbids',
    message: `The user of --database-url-file may not make roles, and schemas of theirs: ${(cause.cause as Error).message}`,
    remedy: 'Give the user who owns the database, and let them make roles: ALTER ROLE … CREATEROLE',
    cause,
  });
}

/** A role for each service, with the passwords of the release, that owns its two schemas. Idempotent. */
export async function ensureRoles(scope: BootstrapScope, secrets: ReleaseSecrets): Promise<void> {
  const ensure = async (database: Database): Promise<void> => {
    for (const service of SERVICE_ORDER) {
      const { username, password } = databaseUrlOf(secrets, service);
      await database.transaction((transaction) => ensureServiceRole(transaction, username, password));
    }
  };
  await withDatabaseUrl(scope, (url) => within(url, ensure));
}

/** Throws Unavailable (`DatabaseUnreachable`) when it does not within the time of a step, and at once when it lets nobody in (`DatabaseRefuses`). */
export async function untilAnswering(scope: BootstrapScope): Promise<void> {
  const ask = (): Promise<unknown> =>
    withDatabaseUrl(scope, (url) => within(url, (database) => database.rowsOnce('SELECT 1')));
  const answers = (): Promise<boolean> =>
    ask().then(
      () => true,
      (error: unknown) => {
        // By waiting no password becomes right.
        if (reasonOf(error) === REFUSES) throw error;
        return false;
      },
    );
  if (!(await waitUntil(answers, scope.request.timeoutMs))) await ask();
}

/** Takes away all that an installation had in a database of somebody else's; one in the cluster went with that. Idempotent. */
export async function dropInstallation(dir: BootstrapDir, request: BootstrapRequest): Promise<void> {
  const url = bundledServers(request).postgres ? undefined : await findText(dir.databaseUrl());
  if (url === undefined) return;
  await within(url, async (database) => {
    for (const schema of [...SCHEMAS, 'crate_before_move']) {
      await database.rowsOnce(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
    }
    for (const service of SERVICE_ORDER) await dropRole(database, service.replaceAll('-', '_'));
  });
}

/** Roles are of the whole server: one that owns something in another database stays. */
async function dropRole(database: Database, role: string): Promise<void> {
  const [found] = await database.rowsOnce('SELECT FROM pg_roles WHERE rolname = $1', [role]);
  if (!found) return;
  await ensureMembership(database, role);
  await database.rowsOnce(`DROP OWNED BY "${role}"`);
  await database.rowsOnce(`DROP ROLE "${role}"`);
}

async function within<T>(url: string, work: (database: Database) => Promise<T>): Promise<T> {
  const database = new Database({ url, schema: 'public', applicationName: 'crate-bootstrap', maxConnections: 1 });
  try {
    return await work(database);
  } catch (cause) {
    throw explained(cause, new URL(url).host);
  } finally {
    await database.close();
  }
}

function explained(cause: unknown, where: string): unknown {
  const why = (): string => whyUnreachable(cause);
  if (LETS_NOBODY_IN.test(sqlStateOf(cause) ?? '')) {
    return refusal({
      reason: REFUSES,
      message: `PostgreSQL at ${where} lets nobody in: ${why()}`,
      remedy:
        'Write the right user, password and database to the file of --database-url-file, or let its server take connections from here (pg_hba.conf)',
      cause,
    });
  }
  // It answered: what its user lacks is a right there.
  if (!hasCode(cause, 'Unavailable') || sqlStateOf(cause) === LACKS_A_RIGHT) return cause;
  return refusal({
    reason: 'DatabaseUnreachable',
    message: `PostgreSQL at ${where} does not answer: ${why()}`,
    remedy:
      'One of your own has to be reachable from this machine and from the platform cluster; one in the cluster needs its pod crate-postgres-0 to be ready',
    code: 'Unavailable',
    cause,
  });
}

function reasonOf(error: unknown): string | undefined {
  return (error as Partial<PlatformError>).details?.reason;
}
