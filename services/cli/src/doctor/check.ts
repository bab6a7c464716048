import { isPlatformError } from '@crate/errors';
import { errorLines } from '../output/error-text.js';

export type Level = 'ok' | 'warn' | 'fail' | 'skip';

/** What one look found. */
export interface Finding {
  readonly level: Level;
  /** What is so. */
  readonly message: string;
  /** What to do; for warn and fail. */
  readonly remedy?: string;
}

/** One look at the machine or the platform. */
export interface Check {
  readonly area: string;
  readonly name: string;
  /** What it throws is a failure, with its message. */
  readonly look: () => Finding | Promise<Finding>;
}

/** A check and what it found. */
export interface Checked extends Finding {
  readonly area: string;
  readonly name: string;
}

const WITHIN_MS = 15_000;

export function ok(message: string): Finding {
  return { level: 'ok', message };
}

export function warn(message: string, remedy: string): Finding {
  return { level: 'warn', message, remedy };
}

export function fail(message: string, remedy: string): Finding {
  return { level: 'fail', message, remedy };
}

export function skip(message: string): Finding {
  return { level: 'skip', message };
}

/** Runs a check; whatever happens is a finding. */
export async function runCheck({ area, name, look }: Check, withinMs = WITHIN_MS): Promise<Checked> {
  return { area, name, ...(await inTime(look, withinMs).catch(findingOf)) };
}

async function inTime(look: Check['look'], withinMs: number): Promise<Finding> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Finding>((resolve) => {
    const finding = fail(
      `No answer within ${withinMs / 1000} s`,
      'See whether the machine or the network is overloaded',
    );
    timer = setTimeout(() => resolve(finding), withinMs);
  });
  try {
    return await Promise.race([look(), late]);
  } finally {
    clearTimeout(timer);
  }
}

function findingOf(error: unknown): Finding {
  if (!isPlatformError(error)) return fail(error instanceof Error ? error.message : String(error), 'Report this');
  const [message = '', ...rest] = errorLines(error);
  return fail(message, rest.join('; ') || 'See the message');
}
