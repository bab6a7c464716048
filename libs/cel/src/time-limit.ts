import { createContext, Script } from 'node:vm';
import { hasCode, timeout } from '@crate/errors';

/** Less than this of the time that was due was had. */
const STARVED_SHARE = 0.8;
const starved = new WeakSet<object>();

const script = new Script('work()');
const context = createContext({ work: undefined as (() => void) | undefined });

/**
 * Runs synchronous work and stops it, wherever it is, when its time is over: nested loops and regular expressions
 * included, which no check between two steps would catch. Throws Timeout. Work that is `dueMs` of a processor, by default all of its time,
 * and had less of it, was starved (`wasStarved`). This is a clock, not a security boundary.
 */
export function withinTime<T>(limitMs: number, work: () => T, dueMs = limitMs): T {
  const before = processorMs();
  let result: { readonly value: T } | undefined;
  context['work'] = () => {
    result = { value: work() };
  };
  try {
    script.runInContext(context, { timeout: limitMs });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    const over = timeout(`It took longer than ${dueMs} ms`, error);
    if (processorMs() - before < STARVED_SHARE * dueMs) starved.add(over);
    throw over;
  } finally {
    context['work'] = undefined;
  }
  return (result as { readonly value: T }).value;
}

/** Each has the limit once more by the clock: a machine that gives a process a fifth of a processor still comes to an answer. */
const MOST_ATTEMPTS = 5;

/** Whether what `withinTime` stopped had waited for a processor rather than worked: it may be fast enough when it is done again. */
export function wasStarved(error: unknown): boolean {
  return typeof error === 'object' && error !== null && starved.has(error);
}

/**
 * As `withinTime`, for work that may be done again: time in which the thread waited for a processor does not count. Throws Timeout once the
 * work has had its time, or at the fifth attempt. Work that was stopped is asked to `renew` what it may have left half done.
 */
export function withinProcessorTime<T>(limitMs: number, work: () => T, renew: () => void): T {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return withinTime(limitMs * attempt, work, limitMs);
    } catch (error) {
      if (!hasCode(error, 'Timeout')) throw error;
      renew();
      if (!wasStarved(error) || attempt === MOST_ATTEMPTS) throw error;
    }
  }
}

/** What this thread has had of processors. */
function processorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
