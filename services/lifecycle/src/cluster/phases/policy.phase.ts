import { unavailable } from '@crate/errors';
import { isPolicyUnavailable, type PolicyReviewer } from '@crate/messaging';
import { settled, type Outcome, type ReconcileContext, type ReconcileKey } from '@crate/reconcile';
import type { AccountProviders } from '../account-providers.js';
import { clusterReview, denialOf } from '../cluster.policy.js';
import type { ClusterScope } from '../cluster.scope.js';

/** Judges the spec anew on every pass, because rules change while clusters live. */
export class PolicyPhase {
  constructor(
    private readonly policies: PolicyReviewer,
    private readonly providers: Pick<AccountProviders, 'of'>,
  ) {}

  /**
   * Throws Forbidden when a `must` rule is broken, Unavailable while policy-mgmt does not answer. What stands is left standing, and looked
   * after, also when a rule came later that it breaks: its status says so, and admission takes only changes that mend it.
   */
  readonly run = async (scope: ClusterScope, context: ReconcileContext): Promise<Outcome> => {
    const { cluster } = scope;
    scope.review = await this.judge(scope, context);
    // Rules may change as well as the spec.
    const denial = denialOf(cluster, scope.review, { retry: 'slow' });
    if (!denial) return settled;
    if (!isStanding(scope)) throw denial;
    scope.isLeftStanding = true;
    return settled;
  };

  /** Judges a cluster that nothing is done to. Throws nothing that policies lead to. */
  readonly look = async (scope: ClusterScope, context: ReconcileContext): Promise<Outcome> => {
    try {
      scope.review = await this.judge(scope, context);
    } catch (error) {
      if (!isPolicyUnavailable(error)) throw error;
    }
    return settled;
  };

  /**
   * Says that there is no such cluster any more: what is remembered of it, and its report, go. Throws Unavailable when nobody could be
   * told: whoever gets the Project's name next must not read it. Nothing is held up by that, as the cluster is gone.
   */
  readonly forget = async ({ namespace, name }: ReconcileKey, context: ReconcileContext): Promise<void> => {
    if (await this.policies.forget({ namespace, cluster: name }, context)) return;
    throw unavailable('The report of a cluster that is gone stays until policy-mgmt answers');
  };

  private async judge(scope: ClusterScope, context: ReconcileContext): Promise<NonNullable<ClusterScope['review']>> {
    const { cluster } = scope;
    const provider = await this.providers.of(cluster);
    scope.provider = provider;
    return this.policies.review(clusterReview(cluster, { provider, remember: true }), context);
  }
}

/** It has been up, and this spec was let through once: by then its children have it. */
function isStanding({ cluster: { metadata, status } }: ClusterScope): boolean {
  return status?.version !== undefined && status.observedGeneration === metadata.generation;
}
