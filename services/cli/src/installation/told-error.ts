import { isPlatformError } from '@crate/errors';
import { errorLines } from '../output/error-text.js';

/** What went wrong and what to do about it, as `crate` says it. */
export function toldError(error: unknown): string {
  if (isPlatformError(error)) return errorLines(error).join('\n');
  return error instanceof Error ? error.message : String(error);
}
