import type { PolicyReviewRequest, PolicyReviewResponse } from '@crate/api';

/** What `reviewAll` of policy-mgmt takes and answers. */
export interface PolicyReviewAllRequest {
  readonly requests: readonly PolicyReviewRequest[];
  /** True when more belong to them that did not fit: what they would change is remembered once it stands. */
  readonly partial?: boolean;
}

/** Documents are judged apart: that one is denied says nothing of the verdict on others, but then none of those to be changed is remembered. */
export interface PolicyReviewAllResponse {
  /** One for each request, in order. */
  readonly responses: readonly PolicyReviewResponse[];
}

/** Documents of one call: with what is wrong with each, the answer has to fit into a message, too. */
export const MOST_REVIEWS_AT_ONCE = 100;

/** Documents of one call that says that they are there still: their names alone. */
export const MOST_RENEWED_AT_ONCE = 1_000;

/** Bytes of one call: what servers take by default, 4 MiB, less what a message has around its body. */
const MOST_BYTES_AT_ONCE = 3.5 * 1024 * 1024;

/** Requests in as few calls as they fit into. One that is too large by itself is alone, for whoever sends it to refuse. */
export function reviewBatches(
  requests: readonly PolicyReviewRequest[],
  mostBytes = MOST_BYTES_AT_ONCE,
): readonly (readonly PolicyReviewRequest[])[] {
  const batches: PolicyReviewRequest[][] = [];
  let bytes = Infinity;
  for (const request of requests) {
    const size = Buffer.byteLength(JSON.stringify(request));
    const last = batches.at(-1);
    if (last && last.length < MOST_REVIEWS_AT_ONCE && bytes + size <= mostBytes) {
      last.push(request);
      bytes += size;
      continue;
    }
    batches.push([request]);
    bytes = size;
  }
  return batches;
}

/** Whether they are asked about together. Otherwise none that are to be changed is remembered before it stands. */
export function fitsOneCall(requests: readonly PolicyReviewRequest[]): boolean {
  return reviewBatches(requests).length <= 1;
}
