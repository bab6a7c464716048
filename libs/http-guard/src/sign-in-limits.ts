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
  readonly authenticate: Authenticate;
  /** Where a request came from. */
  readonly addressOf: (request: IncomingMessage) => string | undefined;
  readonly metrics: Metrics;
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
export function limitSignIns(options: SignInLimitsOptions): Authenticate {
  const { authenticate, addressOf, now, failuresPerSecond: perSecond, failureBurst: burst } = options;
  const clock = now ? { now } : {};
  const guesses = new TokenBuckets({ perSecond, burst, ...clock });
  // A client that keeps on with an expired token is a nuisance, no attack: it waits by itself.
  const repeats = new TokenBuckets({ perSecond: perSecond * SAME_AGAIN, burst: burst * SAME_AGAIN, ...clock });
  const good = new BoundedCache<true>(REMEMBERED);
  const bad = new BoundedCache<true>(REMEMBERED);
  const limited = limitedCounter(options.metrics);

  return async (request, response) => {
    const token = digestOf(request.headers.authorization);
    if (good.get(token)) return stillGood(token);
    const address = neighbourhood(addressOf(request) ?? '');
    const isRepeat = token === NO_TOKEN || bad.get(token) === true;
    const [failures, from] = isRepeat ? [repeats, `${address} ${token}`] : [guesses, address];
    // Taken before it is known how it ends, so that many attempts at once count, too.
    const retryAfterMs = failures.take(from);
    if (retryAfterMs > 0) {
      limited.add(1, { reason: 'sign_in' });
      throw tooManyFailures(retryAfterMs);
    }
    try {
      const caller = await authenticate(request, response);
      good.set(token, true);
      failures.giveBack(from, 1);
      return caller;
    } catch (error) {
      if (hasCode(error, 'Unauthenticated')) bad.set(token, true);
      else failures.giveBack(from, 1);
      throw error;
    }

    async function stillGood(digest: string): ReturnType<Authenticate> {
      return authenticate(request, response).catch((error: unknown) => {
        if (hasCode(error, 'Unauthenticated')) good.delete(digest);
        throw error;
      });
    }
  };
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
