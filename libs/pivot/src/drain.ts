import type { SqlRunner } from '@crate/database';
import { PlatformError } from '@crate/errors';
import { fencedTables, quoted } from './catalog.js';
import type { Installation } from './installation.js';
import { named, untilNone, type WaitOptions } from './until-none.js';

/** What is at hand, by the table that tells of it. */
const AT_HAND: Readonly<Record<string, string>> = {
  work_items: `SELECT reconciler || ' of ' || ltrim(namespace || '/' || name, '/') AS what FROM %s WHERE lease_until > now()`,
  terraform_runs: `SELECT 'Terraform run ' || id AS what FROM %s WHERE state = 'running'`,
  engine_runs: `SELECT 'engine run ' || id AS what FROM %s WHERE state = 'running'`,
  terraform_state_locks: `SELECT 'Terraform state locked by ' || holder AS what FROM %s`,
};

/** Where the process of one was killed, its service alone closes it, with the next pass. */
const RUNS = ['terraform_runs', 'engine_runs'];

/** Whatever is at hand: passes, runs of programs, locked states. Empty: the installation rests. `tables`: looks at these alone. */
export async function workAtHand(
  installation: Installation,
  sql: SqlRunner,
  tables: readonly string[] = Object.keys(AT_HAND),
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const schema of installation.schemas) {
    for (const { name } of await fencedTables(sql, schema)) {
      if (!tables.includes(name)) continue;
      const query = AT_HAND[name]?.replace('%s', `${quoted(schema)}.${quoted(name)}`);
      if (query === undefined) continue;
      found.push(...(await sql.rowsOnce<{ what: string }>(`${query} ORDER BY 1`)).map(({ what }) => what));
    }
  }
  return found;
}

/** Returns when nothing is at hand. Throws Timeout (`StillAtWork`), naming what is. */
export async function untilDrained(installation: Installation, options: WaitOptions): Promise<void> {
  const look = (): Promise<readonly string[]> =>
    installation.transaction((transaction) => workAtHand(installation, transaction));
  await untilNone(look, options, stillAtWork);
}

/** Returns when none of the runs is open any more that are open now; false when none is. Throws Timeout (`StillAtWork`), naming those that are. */
export async function untilRunsEnded(installation: Installation, options: WaitOptions): Promise<boolean> {
  const look = (): Promise<readonly string[]> =>
    installation.transaction((transaction) => workAtHand(installation, transaction, RUNS));
  const open = await look();
  await untilNone(async () => (await look()).filter((run) => open.includes(run)), options, stillAtWork);
  return open.length > 0;
}

/** The refusal that names what is still going on. */
export function stillAtWork(atHand: readonly string[]): PlatformError {
  const details = {
    reason: 'StillAtWork',
    remedy: 'Run "crate pivot" again to wait on, or with --rollback to let work begin again',
  };
  return new PlatformError('Timeout', `Work is still going on: ${named(atHand)}`, { details });
}
