import { hash } from 'node:crypto';
import type { CloudAccount } from '@crate/api';
import { invariant } from '@crate/errors';
import type { StandingReviews } from '@crate/messaging';
import { settled, type Outcome, type ReconcileContext } from '@crate/reconcile';
import type { InfrastructureScope } from '../infrastructure/infrastructure.scope.js';
import type { StateKeeper } from '../terraform-run/state-keeper.js';
import { planReview } from './plan-review.js';
import { standingPlan } from './standing-plan.js';

/** Judges what is in the cloud again, because rules change. What breaks one is told, and left standing. */
export class StandingPlanPhase {
  constructor(
    private readonly standing: StandingReviews,
    private readonly states: Pick<StateKeeper, 'open'>,
  ) {}

  readonly run = async (scope: InfrastructureScope, context: ReconcileContext): Promise<Outcome> => {
    const { infrastructure, account, isApplied, stateSerial } = scope;
    if (!isApplied || !account || stateSerial === undefined) return settled;
    const { uid, labels = {} } = infrastructure.metadata;
    const version = hash('sha256', JSON.stringify([stateSerial, account.spec.provider, labels]));
    const requests = async (): Promise<ReturnType<typeof planReview>[]> => [await this.request(scope, account)];
    const compliance = await this.standing.judge({ key: uid, version, requests }, context);
    if (compliance) scope.compliance = compliance;
    return settled;
  };

  private async request(
    { infrastructure, stored }: InfrastructureScope,
    account: CloudAccount,
  ): Promise<ReturnType<typeof planReview>> {
    const { plain: bytes } = stored ?? (await this.states.open(infrastructure.metadata.uid)) ?? {};
    if (!bytes) throw invariant('What is applied has no state');
    return planReview(infrastructure, account.spec.provider, standingPlan({ bytes }), { remember: true });
  }
}
