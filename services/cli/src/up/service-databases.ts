import { join } from 'node:path';
import { Database, refusesUser, type SqlRunner } from '@crate/database';
import { hasCode, unavailable } from '@crate/errors';
import { whyUnreachable } from '../output/why-unreachable.js';
import type { DataDir } from './data-dir.js';
import { ensureLetIn } from './let-in.js';
import { ensurePassword, writeSecretFile } from './secret-file.js';
import { waitUntil } from './wait.js';

const START_TIMEOUT_MS = 30_000;

export interface ServiceDatabasesOptions {
  readonly dir: DataDir;
  /** URL of the database, as its owner. */
  readonly ownerUrl: string;
  readonly services: readonly string[];
  readonly signal: AbortSignal;
}

/**
 * Waits for PostgreSQL and gives each service a role of its own that owns the service's two schemas (resources, and events
 * beside them) and nothing else: no service can read another's rows. Gives the URLs by service. Idempotent; writes nothing once all is there. Throws
 * Unavailable, or Conflict where a role is there that does not let its service in.
 */
export async function ensureServiceDatabases(options: ServiceDatabasesOptions): Promise<ReadonlyMap<string, string>> {
  const { dir, ownerUrl, services, signal } = options;
  await writeSecretFile(join(dir.service('postgres'), 'database-url'), ownerUrl);
  const database = new Database({ url: ownerUrl, schema: 'public', applicationName: 'crate-up', maxConnections: 1 });
  try {
    await untilWritable(() => serverState(database), new URL(ownerUrl).host, signal);
    const urls = new Map<string, string>();
    for (const service of services) {
      const password = await ensurePassword(join(dir.service(service), 'database-password'));
      const role = service.replaceAll('-', '_');
      await database.transaction((transaction) => ensureServiceRole(transaction, role, password));
      const url = urlAs(ownerUrl, role, password);
      await ensureLetIn(database, url);
      urls.set(service, url);
    }
    return urls;
  } finally {
    await database.close();
  }
}

/**
 * A role that owns its two schemas, the first of which shares its name. The password is hexadecimal and the name one of ours: neither can end its
 * quotes. Idempotent in a transaction; a role that is there keeps its password.
 */
export async function ensureServiceRole(sql: SqlRunner, name: string, password: string): Promise<void> {
  const [found] = await sql.rowsOnce('SELECT FROM pg_roles WHERE rolname = $1', [name]);
  if (!found) await sql.rowsOnce(`CREATE ROLE "${name}" LOGIN PASSWORD '${password}'`);
  for (const schema of [name, `${name}_events`]) await ensureSchema(sql, schema, name);
}

async function ensureSchema(sql: SqlRunner, schema: string, owner: string): Promise<void> {
  const [found] = await sql.rowsOnce('SELECT FROM pg_namespace WHERE nspname = $1', [schema]);
  if (found) return;
  await ensureMembership(sql, owner);
  await sql.rowsOnce(`CREATE SCHEMA "${schema}" AUTHORIZATION "${owner}"`);
}

/** Who is no superuser makes schemas for a role, moves what is in them, and drops what it owns, only as a member of it. Idempotent. */
export async function ensureMembership(sql: SqlRunner, role: string): Promise<void> {
  // Not MEMBER: since PostgreSQL 16 that is who made the role, though it lets nobody act as it.
  const [found] = await sql.rowsOnce(`SELECT WHERE pg_has_role(current_user, $1::name, 'USAGE')`, [role]);
  if (!found) await sql.rowsOnce(`GRANT "${role}" TO CURRENT_USER`);
}

/** What a PostgreSQL server is doing. One that was restored replays its archive first, and may stop at the end of that. */
export type ServerState = 'down' | 'replaying' | 'paused' | 'up';

/** What one look at a server saw, and why it did not answer where it is down. */
export interface SeenServer {
  readonly state: ServerState;
  readonly error?: unknown;
}

/** Waits for a server that takes writes, at `where` (host and port): one that replays is given all the time it needs. Throws Unavailable. */
export async function untilWritable(
  look: () => Promise<SeenServer>,
  where: string,
  signal: AbortSignal,
): Promise<void> {
  let { state, error }: SeenServer = { state: 'down' };
  const reaches = async (...wanted: readonly ServerState[]): Promise<boolean> => {
    ({ state, error } = await look());
    return wanted.includes(state);
  };
  if (!(await waitUntil(() => reaches('replaying', 'paused', 'up'), START_TIMEOUT_MS, signal))) {
    const why = error === undefined ? '' : `: ${whyUnreachable(error)}`;
    throw unavailable(`PostgreSQL at ${where} does not answer${why}`, error);
  }
  if (!(await waitUntil(() => reaches('paused', 'up', 'down'), Infinity, signal))) signal.throwIfAborted();
  if (state === 'down') throw unavailable('PostgreSQL ended while it was replaying its archive, see its log');
  if (state === 'paused') {
    throw unavailable(
      `PostgreSQL has paused where it was to be restored to; set recovery_target_action = 'promote', or run SELECT pg_wal_replay_resume()`,
    );
  }
}

/** How far a server is. Throws Unavailable with PostgreSQL's own words when it does not let its user in. */
export async function serverState(database: Pick<Database, 'rowsOnce'>): Promise<SeenServer> {
  try {
    const [row] = await database.rowsOnce<{ replaying: boolean; pause: string | null }>(
      `SELECT pg_is_in_recovery() AS replaying,
        CASE WHEN pg_is_in_recovery() THEN pg_get_wal_replay_pause_state() END AS pause`,
    );
    if (!row?.replaying) return { state: 'up' };
    return { state: row.pause === 'paused' ? 'paused' : 'replaying' };
  } catch (error) {
    // "Starting up" and "connection refused" alike.
    if (hasCode(error, 'Unavailable') && !refusesUser(error)) return { state: 'down', error };
    // A wrong password, a database that is not there: PostgreSQL says it best, and repeats no secret.
    const { message } = (error as Error).cause as Error;
    throw unavailable(`PostgreSQL refuses: ${message}`, error);
  }
}

function urlAs(ownerUrl: string, user: string, password: string): string {
  const url = new URL(ownerUrl);
  url.username = user;
  url.password = password;
  return url.href;
}
