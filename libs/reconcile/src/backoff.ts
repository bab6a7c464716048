export interface BackoffOptions {
  /** Longest first pause; each further one may be twice as long. Default 1,000. */
  readonly baseMs?: number;
  /** Longest pause of all. Default 120,000. */
  readonly capMs?: number;
  /** In [0, 1). Default: `Math.random`. */
  readonly random?: () => number;
}

const DEFAULT_BASE_MS = 1_000;
// Low enough that a key recovers soon after its cause is gone, without anybody's help.
const DEFAULT_CAP_MS = 120_000;
const LONGEST_SLOW_MS = 5 * 60_000;
/** What only somebody else can mend is tried again this many times more rarely than the rest at its rarest. */
const SLOWER = 10;

/**
 * Exponential backoff with full jitter: keys that failed together do not come back together.
 * Source: https://aws.amazon.com/builders-library/timeouts-retries-and-backoff-with-jitter/
 */
export class Backoff {
  private readonly baseMs: number;
  private readonly capMs: number;
  private readonly random: () => number;

  constructor(options: BackoffOptions = {}) {
    this.baseMs = options.baseMs ?? DEFAULT_BASE_MS;
    this.capMs = options.capMs ?? DEFAULT_CAP_MS;
    this.random = options.random ?? Math.random;
  }

  /** How long to wait after `attempts` failures in a row before this one. */
  delayMs(attempts: number): number {
    return Math.round(this.random() * Math.min(this.capMs, this.baseMs * 2 ** attempts));
  }

  /** How long to wait for what only somebody else can mend, and nobody tells that they have. About five minutes; ten times the cap where that is less. */
  slowMs(): number {
    return this.spread(Math.min(LONGEST_SLOW_MS, SLOWER * this.capMs));
  }

  /** `delayMs` with a tenth more or less, so that what was settled together does not resync together. */
  spread(delayMs: number): number {
    return Math.round(delayMs * (0.9 + 0.2 * this.random()));
  }
}
