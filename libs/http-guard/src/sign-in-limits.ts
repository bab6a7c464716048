import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import { BoundedCache } from '@crate/auth';
import { hasCode, PlatformError } from '@crate/errors';
import type { Authenticate } from '@crate/resource-server';
import type { Metrics } from '@crate/telemetry';
import { limitedCounter } from './request-limits.js';
import { TokenBuckets } from './token-buckets.js';

export interface SignInLimitsConfig {
  /** Failed attempts of one address that are forgotten each second. */
  readonly failuresPerSecond: number;
  /** Failed attempts of one address before it has to wait. */
  readonly failureBurst: number;
}

export interface SignInLimitsOptions extends SignInLimitsConfig {
  /** Where a request came from. */
  readonly addressOf: (request: IncomingMessage) => string | undefined;
  readonly metrics: Metrics;
  /** Milliseconds that never go back. Default: those of the process. */
  readonly now?: () => number;
}

const REMEMBERED = 10_000;
/** How much more often the same bad token, or none, may be sent than others tried. */
const SAME_AGAIN = 10;

/**
 * Slows down who tries one token after another. An address that failed too often has to wait, except with tokens that were good
 * before: who shares it goes on working, behind one proxy or one company's network. Memory is bounded; no token is kept, only
 * its digest.
 */
export class SignInLimits {
  private readonly guesses: TokenBuckets;
  private readonly repeats: TokenBuckets;
  private readonly good = new BoundedCache<true>(REMEMBERED);
  private readonly bad = new BoundedCache<true>(REMEMBERED);
  private readonly limited: ReturnType<typeof limitedCounter>;

  constructor(private readonly options: SignInLimitsOptions) {
    const { now, failuresPerSecond: perSecond, failureBurst: burst } = options;
    const clock = now ? { now } : {};
    this.guesses = new TokenBuckets({ perSecond, burst, ...clock });
    // A client that keeps on with an expired token is a nuisance, no attack: it waits by itself.
    this.repeats = new TokenBuckets({ perSecond: perSecond * SAME_AGAIN, burst: burst * SAME_AGAIN, ...clock });
    this.limited = limitedCounter(options.metrics);
  }

  /** The same, within these limits. */
  around(authenticate: Authenticate): Authenticate {
    return (request, response) =>
      this.attempt(request, request.headers.authorization, () => authenticate(request, response));
  }

  /**
   * What `act` makes of something secret that a request shows, or does not. An Unauthenticated that it throws counts as a failure;
   * throws TooManyRequests, without trying, where there were too many.
   */
  async attempt<T>(request: IncomingMessage, shown: string | undefined, act: () => Promise<T>): Promise<T> {
    const digest = digestOf(shown);
    if (this.good.get(digest)) return this.stillGood(digest, act);
    const [failures, from] = this.bucketOf(request, digest);
    // Taken before it is known how it ends, so that many attempts at once count, too.
    this.require(failures.take(from));
    try {
      const made = await act();
      this.good.set(digest, true);
      failures.giveBack(from, 1);
      return made;
    } catch (error) {
      if (hasCode(error, 'Unauthenticated')) this.bad.set(digest, true);
      else failures.giveBack(from, 1);
      throw error;
    }
  }

  private bucketOf(request: IncomingMessage, digest: string): [TokenBuckets, string] {
    const address = neighbourhood(this.options.addressOf(request) ?? '');
    const isRepeat = digest === NO_TOKEN || this.bad.get(digest) === true;
    return isRepeat ? [this.repeats, `${address} ${digest}`] : [this.guesses, address];
  }

  private require(retryAfterMs: number): void {
    if (retryAfterMs <= 0) return;
    this.limited.add(1, { reason: 'sign_in' });
    throw tooManyFailures(retryAfterMs);
  }

  private async stillGood<T>(digest: string, act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      if (hasCode(error, 'Unauthenticated')) this.good.delete(digest);
      throw error;
    }
  }
}

const NO_TOKEN = '';

function digestOf(header: string | undefined): string {
  return header === undefined ? NO_TOKEN : createHash('sha256').update(header).digest('base64');
}

/** One host can have all of an IPv6 network to itself, so the network counts. */
function neighbourhood(address: string): string {
  return isIPv6(address) ? expanded(address).slice(0, 4).join(':') : address;
}

function expanded(address: string): readonly string[] {
  const [head = '', tail] = address.split('::');
  const left = head === '' ? [] : head.split(':');
  if (tail === undefined) return left;
  const right = tail === '' ? [] : tail.split(':');
  return [...left, ...Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0'), ...right];
}

function tooManyFailures(retryAfterMs: number): PlatformError {
  const message = 'too many failed attempts to sign in from this address, please try again later';
  return new PlatformError('TooManyRequests', message, { details: { retryAfterMs: Math.max(1000, retryAfterMs) } });
}
