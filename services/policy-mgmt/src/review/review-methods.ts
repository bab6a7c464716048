import { setImmediate as turn } from 'node:timers/promises';
import type { PolicyReviewRequest, PolicyReviewResponse } from '@crate/api';
import { timeout } from '@crate/errors';
import type { PolicyReviewAllResponse, ServiceMethod } from '@crate/messaging';
import type { JudgedDocument, JudgedTogether } from './judged-together.js';
import { parseReviewAllRequest, parseReviewRequest } from './review-request.js';

/** What judges documents. */
export interface ReviewMethodParts {
  /** Makes sure that what was stored before a review decides in it. */
  readonly ensureFresh: () => Promise<void>;
  readonly judge: (request: PolicyReviewRequest) => PolicyReviewResponse | Promise<PolicyReviewResponse>;
  /** Told of every call that was judged. */
  readonly note: (together: JudgedTogether) => void;
}

/** How services ask: `review` for one document, `reviewAll` for many at once. */
export function reviewMethods({
  ensureFresh,
  judge,
  note,
}: ReviewMethodParts): Readonly<Record<string, ServiceMethod>> {
  const review: ServiceMethod = {
    scope: 'policy:review',
    handle: async (body) => {
      const request = parseReviewRequest(body);
      await ensureFresh();
      const response = await judge(request);
      note({ judged: [{ request, response }] });
      return response;
    },
  };
  const reviewAll: ServiceMethod = {
    scope: 'policy:review',
    handle: async (body, { signal }): Promise<PolicyReviewAllResponse> => {
      const { requests, partial } = parseReviewAllRequest(body);
      await ensureFresh();
      const judged: JudgedDocument[] = [];
      try {
        for (const request of requests) {
          // Whoever asked has stopped waiting, and others get their turn in between.
          if (signal?.aborted) throw timeout('The time for the reviews was over');
          judged.push({ request, response: await judge(request) });
          await turn();
        }
      } finally {
        // What stands is remembered also of a call that runs out of time.
        if (judged.length > 0) note({ judged, isPart: partial === true || judged.length < requests.length });
      }
      return { responses: judged.map(({ response }) => response) };
    },
  };
  return { review, reviewAll };
}
