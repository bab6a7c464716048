import { setImmediate as turn } from 'node:timers/promises';
import type { PolicyReviewRequest, PolicyReviewResponse } from '@crate/api';
import { timeout } from '@crate/errors';
import type { PolicyReviewAllRequest, PolicyReviewAllResponse, ServiceMethod } from '@crate/messaging';
import type { JudgedDocument, JudgedTogether } from './judged-together.js';
import { parseReviewAllRequest, parseReviewRequest } from './review-request.js';

/** What judges documents. */
export interface ReviewMethodParts {
  /** Makes sure that what was stored before a review decides in it. */
  readonly ensureFresh: () => Promise<void>;
  readonly judge: (request: PolicyReviewRequest) => PolicyReviewResponse | Promise<PolicyReviewResponse>;
  /** Told of every call that was judged. */
  readonly note: (together: JudgedTogether) => void;
  /** Told of documents that were asked about and got no verdict. */
  readonly failed: (requests: readonly PolicyReviewRequest[]) => void;
}

/** How services ask: `review` for one document, `reviewAll` for many at once. */
export function reviewMethods(parts: ReviewMethodParts): Readonly<Record<string, ServiceMethod>> {
  const review: ServiceMethod = {
    scope: 'policy:review',
    handle: async (body, { signal }) => {
      const [only] = await judgeTogether(parts, { requests: [parseReviewRequest(body)] }, signal);
      return only?.response;
    },
  };
  const reviewAll: ServiceMethod = {
    scope: 'policy:review',
    handle: async (body, { signal }): Promise<PolicyReviewAllResponse> => {
      const judged = await judgeTogether(parts, parseReviewAllRequest(body), signal);
      return { responses: judged.map(({ response }) => response) };
    },
  };
  return { review, reviewAll };
}

/** A verdict for each, in order, or else an error. */
async function judgeTogether(
  { ensureFresh, judge, note, failed }: ReviewMethodParts,
  { requests, partial }: PolicyReviewAllRequest,
  signal: AbortSignal | undefined,
): Promise<readonly JudgedDocument[]> {
  const judged: JudgedDocument[] = [];
  try {
    await ensureFresh();
    for (const request of requests) {
      // Others get their turn in between, and whoever asked may have stopped waiting.
      if (judged.length > 0) await turn();
      if (signal?.aborted) throw timeout('The time for the reviews was over');
      judged.push({ request, response: await judge(request) });
    }
  } finally {
    failed(requests.slice(judged.length));
    // What stands is remembered also of a call that runs out of time.
    if (judged.length > 0) note({ judged, isPart: partial === true || judged.length < requests.length });
  }
  return judged;
}
