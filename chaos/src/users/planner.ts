import { setTimeout as delay } from 'node:timers/promises';
import type { KubeObject } from '../world/kube-object.js';
import { conditionOf } from '../world/kube-object.js';
import { collectionOf, isSuccess, NAMESPACE, type Asking } from './asking.js';
import type { Ledger } from './ledger.js';
import type { ClusterSpec } from './user-action.js';

const PLANS = collectionOf('lifecycle', 'plans');
const LOOK_EVERY_MS = 300;

/** Somebody who wants to see what a change leads to before it is made, and has exactly that carried out. */
export class Planner {
  constructor(
    private readonly asking: Asking,
    private readonly ledger: Ledger,
    private readonly signal: AbortSignal,
  ) {}

  /** Makes a plan and approves it as soon as it can be. Gives up with the signal. */
  async change(cluster: string, name: string, changes: Partial<ClusterSpec>): Promise<void> {
    const body = {
      apiVersion: 'lifecycle.crate.dev/v1alpha1',
      kind: 'Plan',
      metadata: { name, namespace: NAMESPACE },
      spec: { clusterRef: { name: cluster }, changes },
    };
    const made = await this.asking.ask({ method: 'POST', path: PLANS, body });
    if (made.status !== 0 && !isSuccess(made)) return;
    while (!this.signal.aborted) {
      const answer = await this.asking.ask({ method: 'GET', path: `${PLANS}/${name}` });
      const phase = isSuccess(answer) && answer.body ? phaseOf(answer.body) : undefined;
      if (phase === 'Ready') return this.approve(name);
      if (phase !== undefined && phase !== 'Pending') return;
      await delay(LOOK_EVERY_MS, undefined, { signal: this.signal }).catch(() => undefined);
    }
  }

  private async approve(name: string): Promise<void> {
    const answer = await this.asking.ask({ method: 'POST', path: `${PLANS}/${name}/approve`, body: {} });
    if (isSuccess(answer) && answer.body) this.ledger.note('approved', 'Plan', answer.body);
  }
}

function phaseOf(plan: KubeObject): string | undefined {
  return conditionOf(plan, 'Ready')?.reason;
}
