import { setTimeout as delay } from 'node:timers/promises';
import type { KubeObject } from '../world/kube-object.js';
import { conditionOf } from '../world/kube-object.js';
import { collectionOf, isSuccess, NAMESPACE, NOT_FOUND, type Asking } from './asking.js';
import type { Ledger } from './ledger.js';
import type { PlanWish } from './user-action.js';

const PLANS = collectionOf('lifecycle', 'plans');
const LOOK_EVERY_MS = 300;
const NOT_APPROVED = ['Pending', 'Ready'];
/** Forbidden and InvalidSpec: no to this person, whoever asks again. A Conflict is none: the plan was written meanwhile. */
const REFUSALS = [403, 422];

/** Somebody who wants to see what a change leads to before it is made, and has exactly that carried out. */
export class Planner {
  constructor(
    private readonly asking: Asking,
    private readonly ledger: Ledger,
    private readonly signal: AbortSignal,
  ) {}

  /** Makes a plan and approves it as soon as it can be, until that is answered. Gives up with the signal. */
  async carryOut(cluster: string, name: string, wish: PlanWish): Promise<void> {
    if (!(await this.make(cluster, name, wish))) return;
    while (!this.signal.aborted) {
      if (!NOT_APPROVED.includes(await this.follow(name))) return;
      await delay(LOOK_EVERY_MS, undefined, { signal: this.signal }).catch(() => undefined);
    }
  }

  /** Gives whether there may be such a plan now. */
  async make(cluster: string, name: string, wish: PlanWish): Promise<boolean> {
    const body = {
      apiVersion: 'lifecycle.crate.dev/v1alpha1',
      kind: 'Plan',
      metadata: { name, namespace: NAMESPACE },
      spec: { clusterRef: { name: cluster }, ...wish },
    };
    const made = await this.asking.ask({ method: 'POST', path: PLANS, body });
    return made.status === 0 || isSuccess(made);
  }

  /**
   * Approves a plan if it can be now. Gives how far it was when it was looked at; `Pending` also where nobody answers, and `Refused` where
   * the approval is.
   */
  async follow(name: string): Promise<string> {
    const answer = await this.asking.ask({ method: 'GET', path: `${PLANS}/${name}` });
    if (answer.status === NOT_FOUND) return 'Gone';
    const phase = (isSuccess(answer) && answer.body && phaseOf(answer.body)) || 'Pending';
    return phase === 'Ready' && (await this.isRefused(name)) ? 'Refused' : phase;
  }

  private async isRefused(name: string): Promise<boolean> {
    const answer = await this.asking.ask({ method: 'POST', path: `${PLANS}/${name}/approve`, body: {} });
    if (isSuccess(answer) && answer.body) this.ledger.note('approved', 'Plan', answer.body);
    return REFUSALS.includes(answer.status);
  }
}

function phaseOf(plan: KubeObject): string | undefined {
  return conditionOf(plan, 'Ready')?.reason;
}
