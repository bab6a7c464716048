import { hasCode, isPlatformError } from '@crate/errors';
import { checkHealth, isConnectionDown, type TargetCluster } from '@crate/kubernetes';

const ANSWER_WITHIN_MS = 10_000;

/** What came of one call: done, or what the cluster says against it. */
export type Attempt<T> = { readonly value: T } | { readonly refusal: string };

/** True when nobody answered, as against an answer that says no. */
export function isSilence(error: unknown): boolean {
  return isConnectionDown(error) || hasCode(error, 'Timeout');
}

/** True for a refusal by a cluster that is well: the error of one that cannot answer, such as without etcd, is no better than silence. */
export function isAnswer(error: unknown): boolean {
  return isPlatformError(error) && !hasCode(error, 'Unavailable', 'Timeout', 'TooManyRequests');
}

/**
 * Makes one call of many, so that what is refused to it keeps none of the others. Throws when the cluster does not answer at all; one that
 * answers, but not this call, such as for a webhook that hangs, refuses it.
 */
export async function attempt<T>(
  target: TargetCluster,
  act: () => Promise<T>,
  signal: AbortSignal,
): Promise<Attempt<T>> {
  try {
    return { value: await act() };
  } catch (error) {
    if (signal.aborted || !isPlatformError(error)) throw error;
    if (isSilence(error) && !(await checkHealth(target, ANSWER_WITHIN_MS, signal)).healthy) throw error;
    return { refusal: error.message };
  }
}
