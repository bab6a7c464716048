import { POLICY } from '@crate/api';
import { RuleReviewer } from '@crate/policy-engine';
import type { AdmissionHook, ServedKind } from '@crate/resource-server';
import type { Foundation, RegisteredReconciler } from '@crate/service-host';
import type { PackLibrary } from '../pack/pack-library.js';
import type { PacksConfig } from '../pack/pack.config.js';
import { packLibrary } from '../pack/pack.parts.js';
import { QuietLogger } from '../report/quiet-logger.js';
import { policyAdmission } from './policy.admission.js';
import { PolicyCatalogue } from './policy.catalogue.js';
import { observePolicies } from './policy.metrics.js';
import { POLICY_RECONCILER, PolicyReconciler } from './policy.reconciler.js';
import { policySubresources } from './policy.subresources.js';

/** Everything that rules are made of, and the packs that they come from. */
export interface PolicyParts {
  readonly kind: ServedKind;
  readonly reconciler: RegisteredReconciler;
  /** Stores the rules of all packs, and goes on doing so. Throws as `packLibrary` and `PackLibrary.start` do. */
  readonly start: () => Promise<void>;
  /** Has the status of each rule say that it cannot be judged by, once the catalogue knows. */
  readonly tellBroken: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** The rules that are stored, ready to judge with once it follows them. */
export function followedPolicies({ clients, logger, metrics }: Foundation): PolicyCatalogue {
  const catalogue = new PolicyCatalogue(clients.for(POLICY), logger);
  observePolicies(metrics, catalogue);
  return catalogue;
}

/** Wires rules into the service; `impact` warns of what a rule leads to. */
export function policyParts(
  foundation: Foundation,
  config: PacksConfig,
  { catalogue, impact }: { readonly catalogue: PolicyCatalogue; readonly impact: AdmissionHook },
): PolicyParts {
  const { clients, events, logger, queue } = foundation;
  const policies = clients.for(POLICY);
  let packs: PackLibrary | undefined;
  const lookAt = (names: readonly string[]): Promise<void> => queue.enqueue(POLICY_RECONCILER, names.map(keyOf));
  const subresources = policySubresources({
    reviewer: new RuleReviewer(new QuietLogger(logger)),
    shippedWith: (policy) => packs?.examplesOf(policy),
  });
  const reconciler = new PolicyReconciler(policies, events.recorder, undefined, {
    troubleOf: (policy) => packs?.troubleOf(policy),
    compiled: (policy) => catalogue.compiled(policy),
  });
  return {
    kind: { definition: POLICY, admit: [policyAdmission, impact], subresources },
    reconciler: { reconciler, kind: POLICY },
    start: async () => {
      packs = await packLibrary(foundation, policies, config, lookAt);
      await packs.start();
    },
    // An upgrade, or a restore, may have made of a rule one that cannot be judged by: that is told at once.
    tellBroken: () => lookAt(catalogue.broken().map(({ policy }) => policy.metadata.name)),
    stop: async () => packs?.stop(),
  };
}

function keyOf(name: string): { readonly namespace: string; readonly name: string } {
  return { namespace: '', name };
}
