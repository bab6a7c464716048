import { readDeleteOptions } from './delete-body.js';
import { asDeleteOptions } from './document-shape.js';
import type { Exchange } from './exchange.js';
import { isDryRun } from './query-options.js';

/** Whether a call says of itself that it only tries; one that says so wrongly, or not before it is over, does not. Never throws. */
export async function isTryOnly({ method, query, request, context }: Exchange): Promise<boolean> {
  try {
    const body = method === 'DELETE' ? await Promise.race([readDeleteOptions(request), ended(context.signal)]) : {};
    return isDryRun(asDeleteOptions(body).dryRun ?? query.getAll('dryRun'));
  } catch {
    return false;
  }
}

function ended(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const end = (): void => reject(new Error('The call is over'));
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
  });
}
