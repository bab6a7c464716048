import type { PolicyReviewRequest } from '@crate/api';
import type { Objection } from './judge.js';

/** What an update of an object in a cluster found there, as if nobody in particular made it now; undefined for any other request. */
export function whatStood({
  oldDocument,
  userInfo: _,
  ...request
}: PolicyReviewRequest): PolicyReviewRequest | undefined {
  if (request.stage !== 'Manifest' || request.operation !== 'UPDATE' || !oldDocument) return undefined;
  return { ...request, operation: 'CREATE', document: oldDocument };
}

/**
 * Marks, of what a rule objects to, what it objects to as often in what was there: controllers write a whole object to take a finalizer off
 * it or to scale it down, and who mends half of it is not sent back. What nobody looked at one by one excuses nothing. Pure.
 */
export function withWhatStood(objections: readonly Objection[], before: readonly Objection[]): readonly Objection[] {
  const left = new Map<string, number>();
  for (const each of before.filter(isOne)) left.set(wordsOf(each), (left.get(wordsOf(each)) ?? 0) + 1);
  return objections.map((objection) => {
    const words = wordsOf(objection);
    const count = isOne(objection) ? (left.get(words) ?? 0) : 0;
    if (count === 0) return objection;
    left.set(words, count - 1);
    return { ...objection, stood: true };
  });
}

function isOne({ rest }: Objection): boolean {
  return rest === undefined;
}

/** Without places in lists: what is behind something that is taken out moves up. */
function wordsOf({ field, message }: Objection): string {
  return JSON.stringify([field.replace(/\[\d+\]/g, '[]'), message]);
}
