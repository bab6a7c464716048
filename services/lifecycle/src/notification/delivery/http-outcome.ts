import { toPlatformError } from '@crate/errors';
import type { Outcome } from '../outbox.js';
import { CERTIFICATE_TROUBLE } from './certificate-trouble.js';
import { ADDRESS_REFUSED, type HttpAnswer } from './guarded-http.js';

/** Answers that say "later": a request that took too long, too early, or one of too many. */
const LATER: ReadonlySet<number> = new Set([408, 425, 429]);
const LONGEST_DETAIL = 300;
const LONGEST_RETRY_AFTER_MS = 86_400_000;

/** What an answer means. Pure. */
export function outcomeOfAnswer({ status, retryAfter, location, text }: HttpAnswer, now: Date): Outcome {
  const said = shortened(text);
  if (status >= 200 && status < 300)
    return { kind: 'Delivered', httpStatus: status, ...(said ? { detail: said } : {}) };
  const detail = `The receiver answered ${status}${hint(status, location)}${said ? `: ${said}` : ''}`;
  if (status < 500 && !LATER.has(status)) return { kind: 'Failed', httpStatus: status, detail };
  const retryAfterMs = retryAfterOf(retryAfter, now);
  return { kind: 'Retry', httpStatus: status, detail, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
}

/** What it means that there was no answer. Pure. */
export function outcomeOfError(error: unknown): Outcome {
  const { details, message } = toPlatformError(error);
  if (details.reason === ADDRESS_REFUSED) return { kind: 'Failed', detail: shortened(message) };
  const { name, code } = error as { readonly name?: string; readonly code?: string };
  if (name === 'TimeoutError' || name === 'AbortError') return { kind: 'Retry', detail: 'No answer in time' };
  return { kind: 'Retry', detail: wordsOf(code) ?? shortened((error as Error).message || (code ?? 'No answer')) };
}

/** Milliseconds of a Retry-After, in seconds or as a date; undefined when there is none that can be read. */
export function retryAfterOf(text: string | undefined, now: Date): number | undefined {
  if (text === undefined) return undefined;
  const ms = /^\d+$/.test(text.trim()) ? Number(text) * 1_000 : Date.parse(text) - now.getTime();
  return Number.isFinite(ms) ? Math.min(Math.max(0, ms), LONGEST_RETRY_AFTER_MS) : undefined;
}

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The receiver refuses connections',
  ECONNRESET: 'The receiver closed the connection',
  EHOSTUNREACH: 'The receiver cannot be reached',
  ENETUNREACH: 'The receiver cannot be reached',
  ENOTFOUND: 'The name of the receiver is not known',
  EAI_AGAIN: 'The name of the receiver could not be looked up',
  ETIMEDOUT: 'No answer in time',
};

function wordsOf(code = ''): string | undefined {
  const trouble = CERTIFICATE_TROUBLE[code];
  return trouble === undefined ? WORDS[code] : `The certificate of the receiver ${trouble}`;
}

function hint(status: number, location: string | undefined): string {
  if (status === 410) return ', it is gone for good';
  return location === undefined ? '' : ', which sends elsewhere; that is not followed';
}

function shortened(text: string): string {
  const line = text.replaceAll(/[\s\0]+/g, ' ').trim();
  return line.length <= LONGEST_DETAIL ? line : `${line.slice(0, LONGEST_DETAIL - 1)}…`;
}
