import type { PolicyReviewResponse } from '@crate/api';
import { setTimeout as sleep } from 'node:timers/promises';
import { isFenced, PlatformError, toPlatformError } from '@crate/errors';
import type { ProcessIdentity } from '@crate/process';
import { currentContext, type Logger } from '@crate/telemetry';
import { HEARTBEAT_MS } from './run-ending.js';
import type { NewPlan, NewTerraformRun, TerraformRunEnd, TerraformRunRepository } from './terraform-run.repository.js';

const RETRY_MS = 500;
/** As long as the state is tried to be stored (`StateMirror`). */
const CLOSE_WITHIN_MS = 60_000;

/** Where lines of a run go; `RunLogWriter` is one that keeps them. */
export interface RunLog {
  append(line: string): void;
  flush(): Promise<void>;
}

export interface RunRecordParts {
  readonly runs: TerraformRunRepository;
  readonly logs: { readonly open: (owner: string, run: string) => Promise<RunLog> };
  readonly logger: Logger;
  /** How long `close` goes on trying. */
  readonly closeWithinMs?: number;
}

/** The row of one run while it goes on: identity, plan and signs of life; and its log. */
export class RunRecord {
  private readonly closing = new AbortController();
  private readonly timer: NodeJS.Timeout;

  private constructor(
    private readonly parts: RunRecordParts,
    readonly id: string,
    /** Since when the run holds the lock on the state. */
    readonly lockedSince: Date,
    private readonly text: RunLog,
  ) {
    this.timer = setInterval(() => void this.beat(), HEARTBEAT_MS);
  }

  /** Throws Conflict when a newer pass has a run already. */
  static async open(parts: RunRecordParts, run: NewTerraformRun): Promise<RunRecord> {
    const lockedSince = await parts.runs.open(run);
    const log = await parts.logs.open(run.infrastructureUid, run.id);
    const { traceId } = currentContext();
    const facts = [`run ${run.id}`, run.generation && `generation ${run.generation}`, traceId && `trace ${traceId}`];
    log.append(`=== terraform ${run.kind}, ${facts.filter(Boolean).join(', ')}`);
    return new RunRecord(parts, run.id, lockedSince, log);
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

  /** To be told before anything is changed at the provider by the plan, or that nothing will be. */
  async planned(plan: NewPlan): Promise<void> {
    await this.parts.runs.savePlan(this.id, plan);
  }

  /** Says in the log what policies say of the plan. */
  reviewed(review: PolicyReviewResponse): void {
    const broken = review.violations.map(({ level, policy, message }) => `${level} ${policy}: ${message}`);
    this.log(`=== policies ${review.allowed ? 'allow' : 'refuse'} the plan${broken.length > 0 ? ':' : ''}`);
    for (const line of broken) this.log(`  ${line}`);
  }

  /**
   * Goes on trying for a while. Throws Unavailable when the row could not be written: the run holds its lock still, and it takes another
   * pass to give that back.
   */
  async close(state: TerraformRunEnd, error?: unknown): Promise<void> {
    clearInterval(this.timer);
    this.log(`=== run ${state}${error === undefined ? '' : `: ${toPlatformError(error).message}`}`);
    const deadline = performance.now() + (this.parts.closeWithinMs ?? CLOSE_WITHIN_MS);
    for (;;) {
      // Before the row says that the run is over, or a reader would stop short of its last lines; each time, as it may fail as that does.
      await this.text.flush();
      try {
        return await this.parts.runs.close(this.id, state);
      } catch (failure) {
        if (performance.now() >= deadline) throw notClosed(failure);
      }
      await sleep(RETRY_MS);
    }
  }

  private async beat(): Promise<void> {
    try {
      await this.parts.runs.heartbeat(this.id);
    } catch (error) {
      if (isFenced(error)) this.closing.abort(error);
      else this.parts.logger.warn('Storing that a Terraform run lives failed', { runId: this.id, error });
    }
  }
}

function notClosed(cause: unknown): PlatformError {
  return new PlatformError('Unavailable', 'Terraform has ended, and the record of its run could not be closed', {
    cause,
    details: { reason: 'RunNotClosed', remedy: 'Nothing to do: the next pass closes it once the database answers' },
  });
}
