import { POLICY } from '@crate/api';
import { unavailable } from '@crate/errors';
import type { ServiceMethod } from '@crate/messaging';
import { readPacks, RuleReviewer } from '@crate/policy-engine';
import { CONFIG, FOUNDATION, SERVICE_PARTS, type Foundation, type ServiceParts } from '@crate/service-host';
import { Module } from '@nestjs/common';
import type { PolicyMgmtConfig } from './config.js';
import { ensureFresh } from './follow/freshness.js';
import { publishPacks } from './pack/publish-packs.js';
import { policyAdmission } from './policy/policy.admission.js';
import { PolicyCatalogue } from './policy/policy.catalogue.js';
import { PolicyReconciler } from './policy/policy.reconciler.js';
import { parseReviewRequest } from './review/review-request.js';

/** A start that cannot read its rules in this time fails, rather than announce a service that cannot answer. */
const LOAD_MS = 10_000;

/** Wires the policy service: one kind, and the answer to "may this be created?". */
@Module({
  providers: [{ provide: SERVICE_PARTS, useFactory: policyParts, inject: [FOUNDATION, CONFIG] }],
  exports: [SERVICE_PARTS],
})
export class PolicyMgmtModule {}

function policyParts(foundation: Foundation, config: PolicyMgmtConfig): ServiceParts {
  const { clients, logger } = foundation;
  const policies = clients.for(POLICY);
  const catalogue = new PolicyCatalogue(policies, logger);
  const stopping = new AbortController();
  let following: Promise<void> | undefined;
  return {
    kinds: [{ definition: POLICY, admit: [policyAdmission] }],
    reconcilers: [{ reconciler: new PolicyReconciler(policies, foundation.events.recorder), kind: POLICY }],
    methods: { review: reviewMethod(foundation, catalogue) },
    onStart: async () => {
      await publishPacks(policies, await readPacks(config.packs.dir));
      following = catalogue.follow(stopping.signal);
      if (!(await catalogue.reaches('0', LOAD_MS))) throw unavailable('The policies could not be loaded');
    },
    onStop: async () => {
      stopping.abort();
      await following;
    },
  };
}

function reviewMethod({ store, logger }: Foundation, catalogue: PolicyCatalogue): ServiceMethod {
  const reviewer = new RuleReviewer(logger);
  return {
    scope: 'policy:review',
    handle: async (body) => {
      const request = parseReviewRequest(body);
      await ensureFresh([catalogue], store);
      return reviewer.review(request, { policies: catalogue.ofStage(request.stage) });
    },
  };
}
