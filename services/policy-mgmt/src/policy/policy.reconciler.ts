import { isDeepStrictEqual } from 'node:util';
import type { Policy } from '@crate/api';
import { Reconciler, settled, type Outcome, type ReconcileKey } from '@crate/reconcile';
import type { TypedClient } from '@crate/resource-client';
import { compilePolicy } from './compiled-policy.js';
import { policyStatus } from './policy.status.js';

/** Says on each Policy whether reviews can apply it: an expression that was fine may not be to a later release. */
export class PolicyReconciler extends Reconciler {
  override readonly name = 'policy';

  constructor(
    private readonly policies: TypedClient<Policy>,
    private readonly now: () => Date = () => new Date(),
  ) {
    super();
  }

  override async reconcile(key: ReconcileKey): Promise<Outcome> {
    const policy = await this.policies.find(key.name);
    if (!policy) return settled;
    const status = policyStatus(policy, compilePolicy(policy.spec), this.now());
    if (!isDeepStrictEqual(status, policy.status)) await this.policies.saveStatus(policy, status);
    return settled;
  }
}
