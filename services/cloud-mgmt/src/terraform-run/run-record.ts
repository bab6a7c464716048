import { hasCode, toPlatformError } from '@crate/errors';
import { RunLog, type ProcessIdentity } from '@crate/process';
import type { Logger } from '@crate/telemetry';
import type { ChangeSummary } from '@crate/terraform';
import type { NewTerraformRun, TerraformRunEnd, TerraformRunRepository } from './terraform-run.repository.js';

const HEARTBEAT_MS = 10_000;
const LOG_CHARACTERS = 256 * 1024;

export interface RunRecordParts {
  readonly runs: TerraformRunRepository;
  readonly logger: Logger;
}

/** The row of one run while it goes on: identity, log and signs of life. */
export class RunRecord {
  private readonly text = new RunLog(LOG_CHARACTERS);
  private readonly closing = new AbortController();
  private readonly timer: NodeJS.Timeout;

  private constructor(
    private readonly parts: RunRecordParts,
    private readonly id: string,
  ) {
    this.timer = setInterval(() => void this.beat(), HEARTBEAT_MS);
  }

  /** Throws Conflict when a newer pass has a run already. */
  static async open(parts: RunRecordParts, run: NewTerraformRun): Promise<RunRecord> {
    await parts.runs.open(run);
    return new RunRecord(parts, run.id);
  }

  /** Fires when somebody else has closed the run: the commands must stop. */
  get lost(): AbortSignal {
    return this.closing.signal;
  }

  log(line: string): void {
    this.text.append(line);
  }

  async opened(runtimeId: string): Promise<void> {
    await this.parts.runs.saveRuntime(this.id, runtimeId);
  }

  async started(identity: ProcessIdentity): Promise<void> {
    await this.parts.runs.saveIdentity(this.id, identity);
  }

  async planned(summary: ChangeSummary): Promise<void> {
    await this.parts.runs.savePlan(this.id, summary);
  }

  /** Never throws: how the run ended must not depend on whether its row could be written. */
  async close(state: TerraformRunEnd, error?: unknown): Promise<void> {
    clearInterval(this.timer);
    if (error !== undefined) this.text.append(`Run ${state}: ${toPlatformError(error).message}`);
    try {
      await this.parts.runs.close(this.id, state, this.text.text());
    } catch (failure) {
      this.parts.logger.warn('Closing the record of a Terraform run failed', { runId: this.id, error: failure });
    }
  }

  private async beat(): Promise<void> {
    try {
      await this.parts.runs.heartbeat(this.id, this.text.text());
    } catch (error) {
      if (hasCode(error, 'Conflict')) this.closing.abort(error);
      else this.parts.logger.warn('Storing the log of a Terraform run failed', { runId: this.id, error });
    }
  }
}
