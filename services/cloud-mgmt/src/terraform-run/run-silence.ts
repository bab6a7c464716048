import type { TerraformRun, TerraformRunRepository } from './terraform-run.repository.js';

/** By how much the database's clock may get ahead of this process's between two looks: less than a sign of life is due after. */
const TOLERANCE_MS = 5_000;

export interface RunSilenceOptions {
  readonly runs: Pick<TerraformRunRepository, 'now'>;
  readonly silentAfterMs: number;
  /** Milliseconds of a clock that nobody sets. Default: `performance.now`. */
  readonly elapsedMs?: () => number;
}

/**
 * How long runs of other hosts have been silent, by the database's clock. Where that jumps ahead, as when another host takes over as
 * database, all of them seem to have been, and it is believed again once they had the time to be. One for all that ask in a process: each look is for every one.
 */
export class RunSilence {
  private readonly elapsedMs: () => number;
  /** At most, when it was looked at last. */
  private aheadMs: number | undefined;
  private doubtedUntilMs = 0;

  constructor(private readonly options: RunSilenceOptions) {
    this.elapsedMs = options.elapsedMs ?? (() => performance.now());
  }

  /** Gives the database's time. Early, and now and then: only against a look before is a clock seen to jump, and that by as much as since. */
  async look(): Promise<number> {
    const askedAtMs = this.elapsedMs();
    const nowMs = (await this.options.runs.now()).getTime();
    const answeredAtMs = this.elapsedMs();
    // An answer that takes its time is no jump: the least that it is ahead now, against the most that it was.
    const hasJumped = nowMs - answeredAtMs - (this.aheadMs ?? Infinity) > TOLERANCE_MS;
    if (hasJumped) this.doubtedUntilMs = answeredAtMs + this.options.silentAfterMs;
    this.aheadMs = nowMs - askedAtMs;
    return nowMs;
  }

  /** True when the run is over that only its own host could look at. */
  async isSilent({ heartbeatAt }: Pick<TerraformRun, 'heartbeatAt'>): Promise<boolean> {
    const nowMs = await this.look();
    if (this.elapsedMs() < this.doubtedUntilMs) return false;
    return nowMs - heartbeatAt.getTime() > this.options.silentAfterMs;
  }
}
