import { BoundedCache } from '@crate/auth';

export interface TokenBucketOptions {
  /** Tokens that come back each second. */
  readonly perSecond: number;
  /** Tokens of a full bucket. */
  readonly burst: number;
  /** Buckets kept; the one used longest ago is forgotten, which fills it. Default 10,000. */
  readonly keys?: number;
  /** Milliseconds that never go back. Default: those of the process. */
  readonly now?: () => number;
}

interface Bucket {
  tokens: number;
  at: number;
}

const DEFAULT_KEYS = 10_000;

/** One token bucket for each key, in bounded memory and without timers. */
export class TokenBuckets {
  private readonly buckets: BoundedCache<Bucket>;
  private readonly now: () => number;

  constructor(private readonly options: TokenBucketOptions) {
    this.buckets = new BoundedCache(options.keys ?? DEFAULT_KEYS);
    this.now = options.now ?? (() => performance.now());
  }

  /** Takes tokens if there are so many. Gives 0, or the milliseconds until there will be. */
  take(key: string, tokens = 1): number {
    const bucket = this.filled(key);
    if (bucket.tokens < tokens) return Math.ceil(((tokens - bucket.tokens) / this.options.perSecond) * 1000);
    bucket.tokens -= tokens;
    return 0;
  }

  /** Gives tokens back that were taken for nothing. */
  giveBack(key: string, tokens: number): void {
    const bucket = this.filled(key);
    bucket.tokens = Math.min(this.options.burst, bucket.tokens + tokens);
  }

  private filled(key: string): Bucket {
    const { perSecond, burst } = this.options;
    const now = this.now();
    const known = this.buckets.get(key);
    if (!known) {
      const full = { tokens: burst, at: now };
      this.buckets.set(key, full);
      return full;
    }
    known.tokens = Math.min(burst, known.tokens + ((now - known.at) / 1000) * perSecond);
    known.at = now;
    return known;
  }
}
