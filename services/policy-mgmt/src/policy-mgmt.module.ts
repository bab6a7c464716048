import { RememberedJudgements } from '@crate/policy-engine';
import { CONFIG, FOUNDATION, SERVICE_PARTS, type Foundation, type ServiceParts } from '@crate/service-host';
import { Module } from '@nestjs/common';
import type { PolicyMgmtConfig } from './config.js';
import { impactParts } from './impact/impact.parts.js';
import { followedPolicies, policyParts } from './policy/policy.parts.js';
import { CLUSTER_POLICY_REPORT } from './report/cluster-policy-report.js';
import { reportParts } from './report/report.parts.js';
import { CurrentRules } from './review/current-rules.js';
import { reviewParts } from './review/review.parts.js';
import { waiverParts } from './waiver/waiver.parts.js';
import { KnownClusters } from './webhook/known-clusters.js';
import { webhookParts } from './webhook/webhook.parts.js';

/** A start that cannot read its rules in this time fails, rather than announce a service that cannot answer. */
const LOAD_MS = 10_000;

/** Wires the policy service: rules, their waivers, and the answer to "may this be created?". */
@Module({
  providers: [{ provide: SERVICE_PARTS, useFactory: policyMgmtParts, inject: [FOUNDATION, CONFIG] }],
  exports: [SERVICE_PARTS],
})
export class PolicyMgmtModule {}

function policyMgmtParts(foundation: Foundation, config: PolicyMgmtConfig): ServiceParts {
  const waivers = waiverParts(foundation, config.waivers);
  const catalogue = followedPolicies(foundation);
  const rules = new CurrentRules(catalogue, waivers.catalogue, foundation.store);
  const remembered = new RememberedJudgements();
  const reports = reportParts(foundation, config.reports, { rules, remembered });
  const { documents } = reports;
  const impact = impactParts(foundation, { documents, rules });
  const reviews = reviewParts(foundation, { rules, remembered, memory: reports.memory });
  const clusters = new KnownClusters(documents);
  const webhook = webhookParts(config.webhook, foundation, (request) =>
    reviews.review(request, (asked) => clusters.describe(asked)),
  );
  const policies = policyParts(foundation, config.packs, { catalogue, impact: impact.admission });
  return {
    kinds: [...[policies, waivers, reports, impact].map(({ kind }) => kind), { definition: CLUSTER_POLICY_REPORT }],
    reconcilers: [policies, waivers, reports].map(({ reconciler }) => reconciler),
    methods: { ...reviews.methods, ...reports.methods },
    status: { certificates: webhook.certificates },
    onStart: async () => {
      await policies.start();
      await rules.start(LOAD_MS);
      await policies.tellBroken();
      await reports.start();
      await webhook.start();
    },
    onStop: async () => {
      await webhook.stop();
      await reports.stop();
      await policies.stop();
      await rules.stop();
    },
  };
}
