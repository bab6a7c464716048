import type { PolicyReviewRequest, PolicyReviewResponse } from '@crate/api';
import { SERVICE_PARTS, type ServiceParts } from '@crate/service-host';
import { Module } from '@nestjs/common';

/** A policy-mgmt that has no rules: it gives the verdict it is told to. */
export function playedPolicyModule(review: (request: PolicyReviewRequest) => PolicyReviewResponse): new () => object {
  const one = (body: unknown): Promise<PolicyReviewResponse> => Promise.resolve(review(body as PolicyReviewRequest));
  const all = (body: unknown): Promise<{ readonly responses: readonly PolicyReviewResponse[] }> =>
    Promise.resolve({
      responses: (body as { readonly requests: readonly PolicyReviewRequest[] }).requests.map(review),
    });
  const methods: ServiceParts['methods'] = {
    review: { scope: 'policy:review', handle: one },
    reviewAll: { scope: 'policy:review', handle: all },
  };
  const parts: ServiceParts = { kinds: [], reconcilers: [], methods };
  const providers = [{ provide: SERVICE_PARTS, useValue: parts }];

  @Module({ providers, exports: providers })
  class PlayedPolicyModule {}

  return PlayedPolicyModule;
}
