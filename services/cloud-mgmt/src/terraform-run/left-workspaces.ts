import type { Infrastructure } from '@crate/api';
import type { RecoveryHold } from '@crate/service-host';
import type { TypedClient } from '@crate/resource-client';
import type { Logger } from '@crate/telemetry';
import type { TerraformRunner } from '@crate/terraform';
import type { TerraformRunRepository } from './terraform-run.repository.js';

const DAY_MS = 24 * 60 * 60_000;

export interface LeftWorkspacesParts {
  readonly runner: Pick<TerraformRunner, 'clearWorkspaces'>;
  readonly infrastructures: Pick<TypedClient<Infrastructure>, 'list'>;
  readonly runs: Pick<TerraformRunRepository, 'listOpen'>;
  readonly recovery: Pick<RecoveryHold, 'isClosed'>;
  readonly logger: Pick<Logger, 'warn'>;
}

/**
 * Removes from this host the working files of Infrastructures that are gone: the pass that deleted one removed those of its own host
 * only, and a state holds secrets. While the database is older than the world nothing is removed: what it does not know may
 * be wanted. Idempotent; never throws, the next start tries again.
 */
export async function clearLeftWorkspaces(parts: LeftWorkspacesParts): Promise<void> {
  const { runner, infrastructures, runs, recovery, logger } = parts;
  try {
    if (await recovery.isClosed()) return;
    const known = new Set((await infrastructures.list()).map(({ metadata }) => metadata.uid));
    await runner.clearWorkspaces(DAY_MS, async (key) => known.has(key) || (await runs.listOpen(key)).length > 0);
  } catch (error) {
    logger.warn('Working files of deleted infrastructures were not looked through', { error });
  }
}
