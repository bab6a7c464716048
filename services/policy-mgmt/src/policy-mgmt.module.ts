import { POLICY } from '@crate/api';
import type { ServiceMethod } from '@crate/messaging';
import { readPacks, RuleReviewer } from '@crate/policy-engine';
import { CONFIG, FOUNDATION, SERVICE_PARTS, type Foundation, type ServiceParts } from '@crate/service-host';
import { Module } from '@nestjs/common';
import type { PolicyMgmtConfig } from './config.js';
import { publishPacks } from './pack/publish-packs.js';
import { policyAdmission } from './policy/policy.admission.js';
import { PolicyCatalogue } from './policy/policy.catalogue.js';
import { PolicyReconciler } from './policy/policy.reconciler.js';
import { CurrentRules } from './review/current-rules.js';
import { parseReviewRequest } from './review/review-request.js';
import { waiverParts } from './waiver/waiver.parts.js';

/** A start that cannot read its rules in this time fails, rather than announce a service that cannot answer. */
const LOAD_MS = 10_000;

/** Wires the policy service: rules, their waivers, and the answer to "may this be created?". */
@Module({
  providers: [{ provide: SERVICE_PARTS, useFactory: policyParts, inject: [FOUNDATION, CONFIG] }],
  exports: [SERVICE_PARTS],
})
export class PolicyMgmtModule {}

function policyParts(foundation: Foundation, config: PolicyMgmtConfig): ServiceParts {
  const { clients, logger } = foundation;
  const policies = clients.for(POLICY);
  const waivers = waiverParts(foundation, config.waivers);
  const current = new CurrentRules(new PolicyCatalogue(policies, logger), waivers.catalogue, foundation.store);
  return {
    kinds: [{ definition: POLICY, admit: [policyAdmission] }, waivers.kind],
    reconcilers: [
      { reconciler: new PolicyReconciler(policies, foundation.events.recorder), kind: POLICY },
      waivers.reconciler,
    ],
    methods: { review: reviewMethod(foundation, current) },
    onStart: async () => {
      await publishPacks(policies, await readPacks(config.packs.dir));
      await current.start(LOAD_MS);
    },
    onStop: () => current.stop(),
  };
}

function reviewMethod({ logger }: Foundation, current: CurrentRules): ServiceMethod {
  const reviewer = new RuleReviewer(logger);
  return {
    scope: 'policy:review',
    handle: async (body) => {
      const request = parseReviewRequest(body);
      await current.ensureFresh();
      return reviewer.review(request, current.of(request));
    },
  };
}
