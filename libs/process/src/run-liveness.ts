import { PlatformError } from '@crate/errors';
import { ensureProcessGroupGone, type GroupState } from './process-group.js';
import type { ProcessIdentity } from './process-identity.js';

/** By how much the database's clock may get ahead of this process's between two looks: less than a sign of life is due after. */
const TOLERANCE_MS = 5_000;
const LOOK_AGAIN_MS = 5_000;

/** What is stored of a run that was begun and never closed. */
export interface OpenRun {
  /** Undefined until its program may make a step. */
  readonly identity: ProcessIdentity | undefined;
  /** Its last sign of life, by the clock that `now` gives. */
  readonly heartbeatAt: Date;
}

export interface RunLivenessOptions {
  /** What times of runs are compared with: one clock for all hosts. */
  readonly now: () => Promise<Date>;
  /** How long a run of another host was silent that is over. */
  readonly silentAfterMs: number;
  /** Milliseconds of a clock that nobody sets. Default: `performance.now`. */
  readonly elapsedMs?: () => number;
}

/** How what is left of a run is ended. */
export interface RunEnd {
  /** What runs, as people call it. */
  readonly program: string;
  /** How long its processes may finish once they are asked to end. */
  readonly graceMs: number;
  /** Default: `ensureProcessGroupGone`. */
  readonly endProcesses?: (identity: ProcessIdentity, graceMs: number) => Promise<GroupState>;
}

/**
 * Whether runs that were never closed are over: those of this host by their processes, those of other hosts by how long they have been silent,
 * by the database's clock. Where that jumps ahead, as when another host takes over as database, all of them seem to have been silent, which
 * is believed again once they had the time to be. One for all that ask in a process: each look is for every one.
 */
export class RunLiveness {
  private readonly elapsedMs: () => number;
  /** At most, when it was looked at last. */
  private aheadMs: number | undefined;
  private doubtedUntilMs = 0;

  constructor(private readonly options: RunLivenessOptions) {
    this.elapsedMs = options.elapsedMs ?? (() => performance.now());
  }

  /** Gives the database's time. Early, and now and then: only against a look before is a clock seen to jump, and that by as much as since. */
  async look(): Promise<number> {
    const askedAtMs = this.elapsedMs();
    const nowMs = (await this.options.now()).getTime();
    const answeredAtMs = this.elapsedMs();
    // An answer that takes its time is no jump: the least that it is ahead now, against the most that it was.
    const hasJumped = nowMs - answeredAtMs - (this.aheadMs ?? Infinity) > TOLERANCE_MS;
    if (hasJumped) this.doubtedUntilMs = answeredAtMs + this.options.silentAfterMs;
    this.aheadMs = nowMs - askedAtMs;
    return nowMs;
  }

  /** True when the run is over that only its own host could look at. */
  async isSilent({ heartbeatAt }: Pick<OpenRun, 'heartbeatAt'>): Promise<boolean> {
    const nowMs = await this.look();
    if (this.elapsedMs() < this.doubtedUntilMs) return false;
    return nowMs - heartbeatAt.getTime() > this.options.silentAfterMs;
  }

  /** Ends what is left of the run here. Throws Unavailable (`EarlierRunAlive`) while it may still live. Idempotent. */
  async requireDead(run: OpenRun, end: RunEnd): Promise<void> {
    if (!(await this.isDead(run, end))) throw stillAlive(end.program);
  }

  private async isDead(run: OpenRun, { graceMs, endProcesses = ensureProcessGroupGone }: RunEnd): Promise<boolean> {
    // It never made a step: identities are stored before the program may.
    if (!run.identity) return true;
    const state = await endProcesses(run.identity, graceMs);
    return state === 'elsewhere' ? this.isSilent(run) : state === 'gone';
  }
}

function stillAlive(program: string): PlatformError {
  return new PlatformError('Unavailable', `An earlier run of ${program} may still be alive`, {
    details: {
      reason: 'EarlierRunAlive',
      remedy: 'Nothing to do: it goes on once the earlier run is proven dead',
      retryAfterMs: LOOK_AGAIN_MS,
    },
  });
}
