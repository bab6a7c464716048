import { REPLICA_SILENT_AFTER_MS } from '@crate/api';
import type { SqlRunner } from '@crate/database';
import { PlatformError } from '@crate/errors';
import { quoted, REPLICAS } from './catalog.js';
import type { Installation } from './installation.js';
import { named, untilNone, type WaitOptions } from './until-none.js';

/** As the services say it of themselves (ADR 0306): whoever died says nothing more. */
const RUNNING = `SELECT name FROM %s WHERE stopped_at IS NULL
  AND seen_at > clock_timestamp() - interval '${REPLICA_SILENT_AFTER_MS} ms' ORDER BY 1`;

/**
 * Returns when none of the processes runs that began on what the move replaces: such a one would go on with what it remembers of it. They end by
 * themselves once they see that the target is closed, and are no replicas again before it is open. Throws Timeout (`StillRunning`), naming them.
 */
export async function untilEnded(target: Installation, options: WaitOptions): Promise<void> {
  const look = (): Promise<readonly string[]> => target.transaction((transaction) => running(target, transaction));
  await untilNone(look, options, (names) => stillRunning(target, names));
}

async function running({ schemas }: Installation, sql: SqlRunner): Promise<readonly string[]> {
  const found: string[] = [];
  for (const schema of schemas) {
    const table = `${quoted(schema)}.${REPLICAS}`;
    const [row] = await sql.rowsOnce<{ exists: boolean }>('SELECT to_regclass($1) IS NOT NULL AS exists', [table]);
    if (row?.exists !== true) continue;
    found.push(...(await sql.rowsOnce<{ name: string }>(RUNNING.replace('%s', table))).map(({ name }) => name));
  }
  return found;
}

function stillRunning({ name }: Installation, names: readonly string[]): PlatformError {
  const details = {
    reason: 'StillRunning',
    remedy: 'Stop or kill these processes, and run "crate pivot" again; or run it with --rollback',
  };
  return new PlatformError('Timeout', `Processes of ${name} have not ended yet: ${named(names)}`, { details });
}
