import { PlatformError } from '@crate/errors';
import type { Caller } from '@crate/resource-client';
import type { Exchange, Interceptor } from '@crate/resource-server';
import type { Metrics } from '@crate/telemetry';
import { FairQueue } from './fair-queue.js';
import { TokenBuckets } from './token-buckets.js';

export interface RequestLimitsConfig {
  /** Requests a second of one user. */
  readonly perSecond: number;
  /** Requests that one user may send at once after a pause. */
  readonly burst: number;
  /** Requests under way of all users together. */
  readonly concurrency: number;
  /** Requests of one user that wait for their turn. */
  readonly queueLength: number;
  /** How long a request waits for its turn. */
  readonly waitMs: number;
  /** Watches and followed logs of one user. */
  readonly watchesPerUser: number;
  /** Lists of everything under way, of all users together. */
  readonly longLists: number;
  /** Members are not limited, as `system:masters` is not in Kubernetes: in an emergency they must get through. */
  readonly exemptGroups: readonly string[];
}

type Class = 'request' | 'watch' | 'longList';

/** A page of more is as good as everything. */
const LONG_PAGE = 1_000;
const WATCH_RETRY_MS = 10_000;

/**
 * Limits what one user may take of the API, and shares it fairly among all: so many requests a second, so many under way, so many
 * watches. What is too much is a 429 that says when to come back. Counts are those of this process.
 */
export class RequestLimits {
  private readonly rates: TokenBuckets;
  private readonly requests: FairQueue;
  private readonly longLists: FairQueue;
  private readonly watches = new Map<string, number>();
  private readonly limited: ReturnType<Metrics['counter']>;

  constructor(
    private readonly config: RequestLimitsConfig,
    metrics: Metrics,
    now?: () => number,
  ) {
    const { perSecond, burst, concurrency, queueLength, waitMs, longLists } = config;
    this.rates = new TokenBuckets({ perSecond, burst, ...(now ? { now } : {}) });
    this.requests = new FairQueue({ concurrency, queueLength, waitMs });
    this.longLists = new FairQueue({ concurrency: longLists, queueLength, waitMs });
    this.limited = limitedCounter(metrics);
  }

  /** Refuses what is too much; gives the place back when the answer is sent. */
  readonly intercept: Interceptor = async (exchange) => {
    const { caller } = exchange.context;
    if (this.isExempt(caller)) return undefined;
    this.takeToken(caller);
    const asked = classOf(exchange);
    if (asked === 'watch') return this.openWatch(caller);
    const queue = asked === 'longList' ? this.longLists : this.requests;
    try {
      return await queue.enter(caller.user, exchange.context.signal);
    } catch (error) {
      this.limited.add(1, { reason: asked === 'longList' ? 'long_lists' : 'concurrency' });
      throw error;
    }
  };

  private isExempt({ groups }: Caller): boolean {
    return groups.some((group) => this.config.exemptGroups.includes(group));
  }

  private takeToken({ user }: Caller): void {
    const retryAfterMs = this.rates.take(user);
    if (retryAfterMs === 0) return;
    this.limited.add(1, { reason: 'rate' });
    throw tooMany(`you may send ${this.config.perSecond} requests a second`, retryAfterMs);
  }

  private openWatch({ user }: Caller): () => void {
    const open = this.watches.get(user) ?? 0;
    if (open >= this.config.watchesPerUser) {
      this.limited.add(1, { reason: 'watches' });
      throw tooMany(`you may have ${this.config.watchesPerUser} watches open`, WATCH_RETRY_MS);
    }
    this.watches.set(user, open + 1);
    return () => this.closeWatch(user);
  }

  private closeWatch(user: string): void {
    const left = (this.watches.get(user) ?? 1) - 1;
    if (left > 0) this.watches.set(user, left);
    else this.watches.delete(user);
  }
}

/** What the limits refused, by which of them. */
export function limitedCounter(metrics: Metrics): ReturnType<Metrics['counter']> {
  return metrics.counter({
    name: 'crate_http_requests_limited_total',
    help: 'Requests answered with 429, by the limit that was reached',
    labels: ['reason'],
  });
}

function classOf({ method, path, query, isFollowing }: Exchange): Class {
  if (method !== 'GET') return 'request';
  if (isFollowing) return 'watch';
  const isCollection = /^\/(api|apis\/[^/]+)\/[^/]+\/(namespaces\/[^/]+\/)?[^/]+\/?$/.test(path);
  const limit = Number(query.get('limit') ?? 0);
  return isCollection && (limit === 0 || limit > LONG_PAGE) ? 'longList' : 'request';
}

function tooMany(limit: string, retryAfterMs: number): PlatformError {
  const seconds = Math.ceil(retryAfterMs / 1000);
  return new PlatformError('TooManyRequests', `too many requests: ${limit}, try again in ${seconds} s`, {
    details: { retryAfterMs },
  });
}
