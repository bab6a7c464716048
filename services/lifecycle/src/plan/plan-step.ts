import type { PlanPhase } from '@crate/api';
import { ended, type PlanFacts } from './plan-facts.js';

/** What came of one step. */
export interface Step {
  readonly facts: PlanFacts;
  /** Look again after so long; absent: there is nothing to wait for. */
  readonly retryAfterMs?: number;
  readonly waitingFor?: string;
}

/** The reason of plans that are not carried out because the world is not as it was. */
export const WORLD_MOVED = 'WorldMoved';

/** The reason of plans that policies refuse. */
export const POLICY_DENIED = 'PolicyDenied';

/** The reason of plans that ran out of time before anybody could approve them. */
const NOT_WORKED_OUT = 'NotWorkedOut';

/** Errors of a write that trying again does not mend. */
export const REFUSALS = ['InvalidSpec', 'Forbidden', 'BadRequest', 'NotFound', 'AlreadyExists'] as const;

const AT_ONCE_MS = 100;
/** Woken when the cluster changes; this is in case nobody heard of it. */
const LOOK_AGAIN_MS = 5_000;

/** What steps come to. */
export class Steps {
  constructor(readonly now: () => Date) {}

  /** Something else came between. */
  again(facts: PlanFacts): Step {
    return { facts, retryAfterMs: AT_ONCE_MS };
  }

  underWay(facts: PlanFacts, waitingFor: string): Step {
    return { facts, retryAfterMs: LOOK_AGAIN_MS, waitingFor };
  }

  /** Without a basis nobody could have approved it. */
  expired(facts: PlanFacts): Step {
    if (facts.basis)
      return this.end(facts, 'Expired', { reason: 'Expired', message: 'Nobody approved the plan in time' });
    const { failure } = facts;
    const message = `The plan could not be worked out in time${failure ? `: ${failure.message}` : ''}`;
    const final = failure && { failure: { ...failure, retryable: false, remedy: 'Make another plan' } };
    return this.end({ ...facts, ...final }, 'Expired', { reason: NOT_WORKED_OUT, message });
  }

  executed(facts: PlanFacts, message: string, reason = 'Executed'): Step {
    return this.end(facts, 'Executed', { reason, message });
  }

  failed(facts: PlanFacts, reason: string, message: string): Step {
    return this.end(facts, 'Failed', { reason, message });
  }

  moved(facts: PlanFacts, ...what: readonly string[]): Step {
    const message = `The world has moved: ${what.join('; ')}. Make another plan`;
    return this.end(facts, 'Refused', { reason: WORLD_MOVED, message });
  }

  /** Undefined where policies allow what Terraform would do. */
  denied(facts: PlanFacts): Step | undefined {
    const verdict = facts.consequences?.policy.plan;
    if (verdict?.allowed !== false) return undefined;
    const broken = verdict.violations.filter(({ effect }) => effect === 'deny');
    const message = `Policies refuse what Terraform would do: ${broken.map(({ policy }) => policy).join(', ')}`;
    return this.end(facts, 'Refused', { reason: POLICY_DENIED, message });
  }

  end(facts: PlanFacts, phase: PlanPhase, why: { readonly reason: string; readonly message: string }): Step {
    return { facts: ended(facts, { phase, ...why }, this.now()) };
  }
}
