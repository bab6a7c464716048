import { POLICY } from '@crate/api';
import { RememberedJudgements, ReviewQueue, RuleReviewer } from '@crate/policy-engine';
import { CONFIG, FOUNDATION, SERVICE_PARTS, type Foundation, type ServiceParts } from '@crate/service-host';
import { Module } from '@nestjs/common';
import type { PolicyMgmtConfig } from './config.js';
import { impactParts } from './impact/impact.parts.js';
import type { PackLibrary } from './pack/pack-library.js';
import { packLibrary } from './pack/pack.parts.js';
import { policyAdmission } from './policy/policy.admission.js';
import { PolicyCatalogue } from './policy/policy.catalogue.js';
import { observePolicies } from './policy/policy.metrics.js';
import { POLICY_RECONCILER, PolicyReconciler } from './policy/policy.reconciler.js';
import { policySubresources } from './policy/policy.subresources.js';
import { QuietLogger } from './report/quiet-logger.js';
import { reportParts, type ReportParts } from './report/report.parts.js';
import type { RuleSource } from './report/rule-source.js';
import { CurrentRules } from './review/current-rules.js';
import { measuredJudge } from './review/review-metrics.js';
import { reviewMethods, type ReviewMethodParts } from './review/review-methods.js';
import { waiverParts } from './waiver/waiver.parts.js';
import { KnownClusters } from './webhook/known-clusters.js';
import { webhookParts } from './webhook/webhook.parts.js';

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
  const catalogue = new PolicyCatalogue(policies, logger);
  observePolicies(foundation.metrics, catalogue);
  const current = new CurrentRules(catalogue, waivers.catalogue, foundation.store);
  const rules = ruleSource(current);
  const remembered = new RememberedJudgements();
  const reports = reportParts(foundation, config.reports, { rules, remembered });
  const impact = impactParts(foundation, policies, { documents: reports.documents, rules });
  const judging = judgingBy(foundation, { current, remembered, note: reports.note });
  const clusters = new KnownClusters(reports.documents);
  const webhook = webhookParts(config.webhook, foundation, async (request) => {
    await judging.ensureFresh();
    return judging.judge(await clusters.describe(request));
  });
  let packs: PackLibrary | undefined;
  const lookAt = (names: readonly string[]): Promise<void> =>
    foundation.queue.enqueue(
      POLICY_RECONCILER,
      names.map((name) => ({ namespace: '', name })),
    );
  return {
    kinds: [
      {
        definition: POLICY,
        admit: [policyAdmission, impact.admission],
        subresources: policySubresources({
          reviewer: new RuleReviewer(new QuietLogger(logger)),
          shippedWith: (policy) => packs?.examplesOf(policy),
        }),
      },
      waivers.kind,
      reports.kind,
      impact.kind,
    ],
    reconcilers: [
      {
        reconciler: new PolicyReconciler(policies, foundation.events.recorder, undefined, {
          troubleOf: (policy) => packs?.troubleOf(policy),
          compiled: (policy) => catalogue.compiled(policy),
        }),
        kind: POLICY,
      },
      waivers.reconciler,
      reports.reconciler,
    ],
    methods: { ...reviewMethods(judging), ...reports.methods },
    status: { certificates: webhook.certificates },
    onStart: async () => {
      packs = await packLibrary(foundation, policies, config.packs, lookAt);
      await packs.start();
      await current.start(LOAD_MS);
      // An upgrade, or a restore, may have made of a rule one that cannot be judged by: that is told at once.
      await lookAt(catalogue.broken().map(({ policy }) => policy.metadata.name));
      await reports.start();
      await webhook.start();
    },
    onStop: async () => {
      await webhook.stop();
      await reports.stop();
      await packs?.stop();
      await current.stop();
    },
  };
}

interface Judging extends Pick<ReportParts, 'note'> {
  readonly current: CurrentRules;
  readonly remembered: RememberedJudgements;
}

function judgingBy({ logger, metrics }: Foundation, { current, remembered, note }: Judging): ReviewMethodParts {
  const reviews = new ReviewQueue(new RuleReviewer(logger, undefined, undefined, remembered));
  return {
    ensureFresh: () => current.ensureFresh(),
    judge: measuredJudge(async (request) => {
      const { response } = await reviews.review(request, current.of(request));
      // What is denied does not come into being; what is asked about without an operation is there.
      if (response.allowed || request.operation === undefined) note(request);
      return response;
    }, metrics),
  };
}

function ruleSource(current: CurrentRules): RuleSource {
  return {
    ensureFresh: () => current.ensureFresh(),
    inForce: (stage, namespace) => current.of({ stage, subject: { namespace, name: '' } }),
  };
}
