import type { SqlRunner } from '@crate/database';
import { PlatformError } from '@crate/errors';
import { setTimeout as delay } from 'node:timers/promises';
import { fencedTables, quoted } from './catalog.js';
import type { Installation } from './installation.js';

/** What is at hand, by the table that tells of it. */
const AT_HAND: Readonly<Record<string, string>> = {
  work_items: `SELECT reconciler || ' of ' || ltrim(namespace || '/' || name, '/') AS what FROM %s WHERE lease_until > now()`,
  terraform_runs: `SELECT 'Terraform run ' || id AS what FROM %s WHERE state = 'running'`,
  engine_runs: `SELECT 'engine run ' || id AS what FROM %s WHERE state = 'running'`,
  terraform_state_locks: `SELECT 'Terraform state locked by ' || holder AS what FROM %s`,
};
const LOOK_EVERY_MS = 500;
const MOST_NAMED = 5;

/** Whatever is at hand: passes, runs of programs, locked states. Empty: the installation rests. */
export async function workAtHand(installation: Installation, sql: SqlRunner): Promise<readonly string[]> {
  const found: string[] = [];
  for (const schema of installation.schemas) {
    for (const { name } of await fencedTables(sql, schema)) {
      const query = AT_HAND[name]?.replace('%s', `${quoted(schema)}.${quoted(name)}`);
      if (query === undefined) continue;
      found.push(...(await sql.rowsOnce<{ what: string }>(`${query} ORDER BY 1`)).map(({ what }) => what));
    }
  }
  return found;
}

export interface DrainOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Told when what is at hand has changed. */
  readonly onWaiting?: (atHand: readonly string[]) => void;
}

/** Returns when nothing is at hand. Throws Timeout (`StillAtWork`), naming what is. */
export async function untilDrained(
  installation: Installation,
  { timeoutMs, signal, onWaiting }: DrainOptions,
): Promise<void> {
  const until = Date.now() + timeoutMs;
  for (let before = ''; ; await delay(LOOK_EVERY_MS)) {
    signal?.throwIfAborted();
    const atHand = await installation.transaction((transaction) => workAtHand(installation, transaction));
    if (atHand.length === 0) return;
    if (before !== (before = atHand.join())) onWaiting?.(atHand);
    if (Date.now() > until) throw stillAtWork(atHand);
  }
}

/** The refusal that names what is still going on. */
export function stillAtWork(atHand: readonly string[]): PlatformError {
  const more = atHand.length > MOST_NAMED ? ` and ${atHand.length - MOST_NAMED} more` : '';
  const details = {
    reason: 'StillAtWork',
    remedy: 'Run "crate pivot" again to wait on, or with --rollback to let work begin again',
  };
  const names = atHand.slice(0, MOST_NAMED).join(', ');
  return new PlatformError('Timeout', `Work is still going on: ${names}${more}`, { details });
}
