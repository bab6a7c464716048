import type { PolicyReviewRequest, PolicyReviewResponse } from '@crate/api';
import type { DocumentMemory } from '../memory/document-memory.js';

/** A document that was asked about, with its verdict. */
export interface JudgedDocument {
  readonly request: PolicyReviewRequest;
  readonly response: PolicyReviewResponse;
}

/** What was asked about in one call. */
export interface JudgedTogether {
  readonly judged: readonly JudgedDocument[];
  /** More belong to them that are asked about apart. */
  readonly isPart?: boolean | undefined;
}

/** Has what was asked about remembered, where it says so. What is asked about together enters together: an add-on with an object that is denied enters with none. */
export function noteJudged(
  memory: Pick<DocumentMemory, 'note' | 'renew'>,
  { judged, isPart = false }: JudgedTogether,
): void {
  const isLetIn = !isPart && judged.every(({ response }) => response.allowed);
  for (const { request } of judged) {
    if (!request.remember) continue;
    // Without an operation it is there already. What an update was to change is there, whatever becomes of the update.
    if (isLetIn || request.operation === undefined) memory.note(request);
    else if (request.operation === 'UPDATE') memory.renew(request);
  }
}
