import { setTimeout as delay } from 'node:timers/promises';
import { readServiceReport, type ServiceReport } from '@crate/api';
import { hasCode, toPlatformError, unavailable } from '@crate/errors';
import { CALL_TOO_LATE, type ServiceCaller } from '@crate/messaging';
import type { CallContext } from '@crate/resource-client';

/** How long somebody who answered last time is waited for: what a service looks up itself has a second. */
export const PATIENCE_MS = 2_000;
/** Who was silent last time holds nobody up, but is listened to for as long as others. */
export const SHORT_PATIENCE_MS = 600;
/** A request goes to one replica; when that one is stuck, another may answer. */
const NEXT_AFTER_MS = 150;
/** Chance picks the replica: of two of which one is stuck, eight times in a row the same is one in 256. */
const MOST_ASKS = 8;

export interface AskServiceOptions {
  readonly calls: Pick<ServiceCaller, 'call'>;
  readonly context: CallContext;
  readonly patienceMs: number;
}

/**
 * Asks a service how it is, a few times in a row while nobody answers. Throws Unavailable, with the reason in words: that nobody listens, or
 * that whoever does is too slow, or speaks of something else.
 */
export async function askService(service: string, options: AskServiceOptions): Promise<ServiceReport> {
  const { calls, context, patienceMs } = options;
  const late = AbortSignal.timeout(patienceMs);
  const ask = (): Promise<unknown> =>
    calls.call(service, 'status', {}, { ...context, signal: late }, Math.max(1, patienceMs));
  const report = readServiceReport(await firstOf(ask, late).catch((error: unknown) => fail(error, options)));
  if (!report) throw unavailable('It answers in a form that this release does not know');
  return report;
}

/** The first answer; an error that is no lateness ends it at once. */
async function firstOf(ask: () => Promise<unknown>, late: AbortSignal): Promise<unknown> {
  const asks: Promise<unknown>[] = [];
  for (let count = 0; count < MOST_ASKS && !late.aborted; count += 1) {
    asks.push(ask());
    const next = delay(NEXT_AFTER_MS, NEXT, { ref: false });
    const first = await Promise.race([firstToEnd(asks), next]).catch(unlessTooLate);
    if (first !== NEXT) return first;
  }
  return firstToEnd(asks);
}

const NEXT = Symbol('NEXT');

/** A replica that stood still, or whose clock is ahead, refuses what may be in time for another. */
function unlessTooLate(error: unknown): typeof NEXT {
  if (toPlatformError(error).details.reason === CALL_TOO_LATE) return NEXT;
  throw error;
}

/** As `Promise.any`, but that the last of several errors is told as it is. */
async function firstToEnd(asks: readonly Promise<unknown>[]): Promise<unknown> {
  return Promise.any(asks).catch((error: AggregateError) => Promise.reject(error.errors.at(-1) as Error));
}

/** Rejects as `askService` does when it takes longer; `asked` itself goes on. */
export async function within<T>(patienceMs: number, asked: Promise<T>): Promise<T> {
  const over = delay(patienceMs, OVER, { ref: false });
  const first = await Promise.race([asked, over]);
  if (first === OVER) throw tooLate(patienceMs);
  return first;
}

const OVER = Symbol('OVER');

function tooLate(patienceMs: number, cause?: unknown): Error {
  return unavailable(`No answer within ${patienceMs / 1_000} s`, cause);
}

function fail(error: unknown, { patienceMs }: AskServiceOptions): never {
  if (hasCode(error, 'Timeout')) throw tooLate(patienceMs, error);
  if (hasCode(error, 'NotFound')) throw unavailable('It is of a release that does not tell', error);
  throw error;
}
