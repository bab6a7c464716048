import { isFenced } from '@crate/errors';
import type { Logger } from '@crate/telemetry';
import type { EngineRunRepository } from './engine-run.repository.js';

export const HEARTBEAT_MS = 4_000;

/** Signs of life of an open run, until stopped. */
export class RunHeartbeat {
  private readonly losing = new AbortController();
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly runs: Pick<EngineRunRepository, 'heartbeat'>,
    private readonly id: string,
    private readonly logger: Logger,
  ) {
    this.timer = setInterval(() => void this.beat(), HEARTBEAT_MS);
  }

  /** Fires when somebody else has closed the run: its program must stop. */
  get lost(): AbortSignal {
    return this.losing.signal;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private async beat(): Promise<void> {
    try {
      await this.runs.heartbeat(this.id);
    } catch (error) {
      if (isFenced(error)) this.losing.abort(error);
      else this.logger.warn('Storing that an engine run lives failed', { runId: this.id, error });
    }
  }
}
