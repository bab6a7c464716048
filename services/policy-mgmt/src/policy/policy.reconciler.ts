import { isDeepStrictEqual } from 'node:util';
import { findCondition, type Policy } from '@crate/api';
import {
  recordPass,
  Reconciler,
  settled,
  SilentEventRecorder,
  type ConditionTellings,
  type EventRecorder,
  type Outcome,
  type ReconcileContext,
  type ReconcileKey,
} from '@crate/reconcile';
import { catalogued, type CataloguedPolicy } from '@crate/policy-engine';
import type { TypedClient } from '@crate/resource-client';
import { policyStatus } from './policy.status.js';

const TELLINGS: ConditionTellings<Policy> = {
  Ready: {
    // A rule that works is no news, unless it did not before: a platform starts with many.
    becameTrue: (_, __, before) =>
      findCondition(before.status?.conditions, 'Ready')?.status === 'False'
        ? { type: 'Normal', reason: 'InForce', message: 'Reviews apply the rule again' }
        : undefined,
    becameFalse: (_, { reason, message }) => ({ type: 'Warning', reason, message }),
  },
};

export const POLICY_RECONCILER = 'policy';

/** What others know of rules. */
export interface KnownOfRules {
  /** Why the source that a rule comes from cannot be read; undefined where it can. */
  readonly troubleOf?: (policy: Policy) => string | undefined;
  /** The rule ready to judge with; absent: it is compiled for each look. */
  readonly compiled?: (policy: Policy) => CataloguedPolicy;
}

/** Says on each Policy whether reviews can apply it: an expression that was fine may not be to a later release. */
export class PolicyReconciler extends Reconciler {
  override readonly name = POLICY_RECONCILER;

  constructor(
    private readonly policies: TypedClient<Policy>,
    private readonly events: EventRecorder = new SilentEventRecorder(),
    private readonly now: () => Date = () => new Date(),
    private readonly known: KnownOfRules = {},
  ) {
    super();
  }

  override async reconcile(key: ReconcileKey, { traceId }: ReconcileContext): Promise<Outcome> {
    const policy = await this.policies.find(key.name);
    if (!policy) return settled;
    const { compiled = catalogued, troubleOf } = this.known;
    const status = policyStatus(policy, compiled(policy), { now: this.now(), trouble: troubleOf?.(policy) });
    if (isDeepStrictEqual(status, policy.status)) return settled;
    const after = await this.policies.saveStatus(policy, status);
    recordPass(this.events, TELLINGS, { before: policy, after, pass: { ok: true, outcome: settled }, traceId });
    return settled;
  }
}
