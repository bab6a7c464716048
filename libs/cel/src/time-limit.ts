import { createContext, Script } from 'node:vm';
import { timeout } from '@crate/errors';

const script = new Script('work()');
const context = createContext({ work: undefined as (() => void) | undefined });

/**
 * Runs synchronous work and stops it, wherever it is, when its time is over: nested loops and regular expressions
 * included, which no check between two steps would catch. Throws Timeout. This is a clock, not a security boundary.
 */
export function withinTime<T>(limitMs: number, work: () => T): T {
  let result: { readonly value: T } | undefined;
  context['work'] = () => {
    result = { value: work() };
  };
  try {
    script.runInContext(context, { timeout: limitMs });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    throw timeout(`It took longer than ${limitMs} ms`, error);
  } finally {
    context['work'] = undefined;
  }
  return (result as { readonly value: T }).value;
}
