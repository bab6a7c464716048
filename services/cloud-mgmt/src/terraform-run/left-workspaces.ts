import type { Infrastructure } from '@crate/api';
import type { RecoveryHold } from '@crate/service-host';
import type { TypedClient } from '@crate/resource-client';
import type { Logger } from '@crate/telemetry';
import type { TerraformRunner } from '@crate/terraform';
import type { TerraformRunRepository } from './terraform-run.repository.js';

const DAY_MS = 24 * 60 * 60_000;
const EVERY_MS = 60 * 60_000;

export interface LeftWorkspacesParts {
  readonly runner: Pick<TerraformRunner, 'clearWorkspaces'>;
  readonly infrastructures: Pick<TypedClient<Infrastructure>, 'list'>;
  readonly runs: Pick<TerraformRunRepository, 'listOpen'>;
  readonly recovery: Pick<RecoveryHold, 'isClosed'>;
  readonly logger: Pick<Logger, 'warn'>;
  /** Default: an hour. */
  readonly everyMs?: number;
}

/**
 * Removes from this host the working files of Infrastructures that are gone: the pass that deleted one removed those of its own host
 * only, and a state holds secrets. While the database is older than the world nothing is removed: what it does not know may
 * be wanted.
 */
export class LeftWorkspaces {
  private timer: NodeJS.Timeout | undefined;
  private clearing: Promise<void> = Promise.resolve();

  constructor(private readonly parts: LeftWorkspacesParts) {}

  /** Clears now, and from time to time until it is stopped: what other replicas delete later does not wait for a restart. */
  async start(): Promise<void> {
    this.clearSoon();
    this.timer = setInterval(() => this.clearSoon(), this.parts.everyMs ?? EVERY_MS).unref();
    await this.clearing;
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.clearing;
  }

  /** Idempotent; never throws, the next time tries again. */
  async clear(): Promise<void> {
    const { runner, infrastructures, runs, recovery, logger } = this.parts;
    try {
      if (await recovery.isClosed()) return;
      const known = new Set((await infrastructures.list()).map(({ metadata }) => metadata.uid));
      await runner.clearWorkspaces(DAY_MS, async (key) => known.has(key) || (await runs.listOpen(key)).length > 0);
    } catch (error) {
      logger.warn('Working files of deleted infrastructures were not looked through', { error });
    }
  }

  private clearSoon(): void {
    this.clearing = this.clearing.then(() => this.clear());
  }
}
