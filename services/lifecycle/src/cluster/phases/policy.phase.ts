import type { PolicyReviewer } from '@crate/messaging';
import { settled, type Outcome, type ReconcileContext } from '@crate/reconcile';
import { clusterReview, denialOf } from '../cluster.policy.js';
import type { ClusterScope } from '../cluster.scope.js';

/** Judges the spec anew on every pass, because rules change while clusters live. */
export class PolicyPhase {
  constructor(private readonly policies: PolicyReviewer) {}

  /** Throws Forbidden when a `must` rule is broken, Unavailable while policy-mgmt does not answer. */
  readonly run = async (scope: ClusterScope, context: ReconcileContext): Promise<Outcome> => {
    scope.review = await this.policies.review(clusterReview(scope.cluster), context);
    const denial = denialOf(scope.cluster, scope.review);
    if (denial) throw denial;
    return settled;
  };
}
