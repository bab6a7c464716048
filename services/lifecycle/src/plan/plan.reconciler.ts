import { PLAN, type Plan } from '@crate/api';
import { hasCode, isPlatformError } from '@crate/errors';
import {
  ensureFinalizer,
  failureCause,
  gone,
  isInterruption,
  Reconciler,
  removeFinalizer,
  saveStatusIfChanged,
  settled,
  waiting,
  withTrace,
  type EventRecorder,
  type Outcome,
  type ReconcileContext,
  type ReconcileKey,
} from '@crate/reconcile';
import type { CallContext, TypedClient } from '@crate/resource-client';
import { requireGoing } from './pausing.js';
import type { PlanExecution } from './plan-execution.js';
import { expiryOf, factsOf, type PlanEnd, type PlanFacts } from './plan-facts.js';
import type { PlanPreparation } from './plan-preparation.js';
import { REFUSALS, Steps, type Step } from './plan-step.js';
import { planStatus } from './plan.status.js';

export interface PlanReconcilerPorts {
  readonly plans: TypedClient<Plan>;
  readonly preparation: PlanPreparation;
  readonly execution: PlanExecution;
  /** As whom this service acts. */
  readonly context: CallContext;
  readonly events?: EventRecorder;
}

/** Held while a plan is carried out: nobody else takes the spec of one back whose world has moved, or lets go of a cluster. */
export const PLAN_FINALIZER = `${PLAN.group}/${PLAN.plural}`;
/** For how long an ended plan can be looked up. */
const KEEP_MS = 24 * 60 * 60_000;

/** Works out what plans lead to, carries out those that are approved, and forgets them in time. Safe to interrupt and repeat. */
export class PlanReconciler extends Reconciler {
  override readonly name = 'plan';

  private readonly steps: Steps;

  constructor(
    private readonly ports: PlanReconcilerPorts,
    private readonly now: () => Date = () => new Date(),
  ) {
    super();
    this.steps = new Steps(now);
  }

  override async reconcile({ name, namespace }: ReconcileKey, context: ReconcileContext): Promise<Outcome> {
    const found = await this.ports.plans.find(name, namespace);
    if (!found) return gone;
    const facts = factsOf(found);
    const isUnderWay = facts.execution !== undefined && !facts.end;
    if (found.metadata.deletionTimestamp && !isUnderWay) return this.release(found, facts.end);
    if (facts.end) return this.letGo(found, facts.end);
    const plan = await this.acknowledge(found, facts);
    try {
      const step = await this.advance(plan, facts, this.within(context));
      await this.save(plan, step);
      this.tell(plan, facts, step.facts);
      // Not before the end is recorded: without the mark nobody could tell that the plan was carried out.
      if (step.facts.end) await this.release(plan, step.facts.end);
      return this.outcomeOf(plan, step);
    } catch (error) {
      if (!isInterruption(error) && !hasCode(error, 'Conflict'))
        await this.save(plan, waitingStep(facts, error, context));
      throw error;
    }
  }

  /** Says that it is approved before anybody is asked for anything: an answer may take a while. */
  private async acknowledge(found: Plan, facts: PlanFacts): Promise<Plan> {
    if (!facts.approval || facts.execution) return found;
    const plan = await ensureFinalizer(this.ports.plans, found, PLAN_FINALIZER);
    if (found.status?.approval) return plan;
    return saveStatusIfChanged(this.ports.plans, plan, planStatus(plan, facts, { now: this.now() }));
  }

  private advance(plan: Plan, facts: PlanFacts, context: CallContext): Promise<Step> {
    const isLate = this.now().getTime() >= expiryOf(plan).getTime();
    if (!facts.approval && isLate) return Promise.resolve(this.steps.expired(facts));
    if (!facts.basis) return this.prepare(plan, facts, context);
    if (!facts.approval) return Promise.resolve({ facts });
    return facts.execution ? this.ports.execution.carryOn(plan, facts, context) : this.begin(plan, facts, context);
  }

  private async prepare(plan: Plan, facts: PlanFacts, context: CallContext): Promise<Step> {
    try {
      const prepared = await this.ports.preparation.prepare(plan, context);
      requireGoing(plan, prepared);
      const { basis, wanted, consequences } = prepared;
      const { failure: _passed, ...known } = facts;
      const found = { ...known, basis, ...(wanted ? { wanted } : {}), consequences };
      return this.steps.denied(found) ?? { facts: found };
    } catch (error) {
      return this.refused(facts, error);
    }
  }

  private async begin(plan: Plan, facts: PlanFacts, context: CallContext): Promise<Step> {
    try {
      return await this.ports.execution.begin(plan, facts, context);
    } catch (error) {
      return this.refused(facts, error);
    }
  }

  /** A refusal ends the plan; what has no answer yet is asked again. */
  private refused(facts: PlanFacts, error: unknown): Step {
    if (!isPlatformError(error) || !hasCode(error, ...REFUSALS)) throw error;
    const failure = { ...failureCause(error), retryable: false };
    const why = { reason: failure.code, message: error.message };
    return this.steps.end({ ...facts, failure }, 'Refused', why);
  }

  /** For `kubectl describe`; one that is not told is in the status. */
  private tell(plan: Plan, before: PlanFacts, { approval, execution, end }: PlanFacts): void {
    const { events } = this.ports;
    if (execution && !before.execution) {
      const message = `Approved by ${approval?.by ?? 'nobody'}, being carried out`;
      events?.record(plan, { type: 'Normal', reason: 'PlanApproved', message });
    }
    if (!end) return;
    const type = end.phase === 'Executed' ? 'Normal' : 'Warning';
    events?.record(plan, { type, reason: `Plan${end.phase}`, message: end.message });
  }

  private async save(plan: Plan, { facts, waitingFor }: Step): Promise<void> {
    const context = { now: this.now(), ...(waitingFor === undefined ? {} : { waitingFor }) };
    await saveStatusIfChanged(this.ports.plans, plan, planStatus(plan, facts, context));
  }

  private outcomeOf(plan: Plan, { facts, retryAfterMs }: Step): Outcome {
    if (facts.end) return waiting('Ended', KEEP_MS);
    if (retryAfterMs !== undefined) return waiting('Executing', retryAfterMs);
    return waiting('WaitingForApproval', Math.max(0, expiryOf(plan).getTime() - this.now().getTime()));
  }

  private async letGo(plan: Plan, end: PlanEnd): Promise<Outcome> {
    const { metadata } = plan;
    await this.release(plan, end);
    const leftMs = Date.parse(end.at) + KEEP_MS - this.now().getTime();
    if (leftMs > 0) return waiting('Ended', leftMs);
    await this.ports.plans.remove(metadata.name, metadata.namespace);
    return settled;
  }

  /** Lets the cluster go, and the plan itself. Idempotent. */
  private async release(plan: Plan, end: PlanFacts['end']): Promise<Outcome> {
    await this.ports.execution.release(plan, end);
    await removeFinalizer(this.ports.plans, plan, PLAN_FINALIZER);
    return settled;
  }

  private within({ remoteSignal }: ReconcileContext): CallContext {
    const { caller, traceId } = this.ports.context;
    return { caller, traceId, signal: remoteSignal };
  }
}

/** Of one that is not worked out yet, why that is outlasts the wait: it may end for it. Whatever it is, it is tried again. */
function waitingStep(facts: PlanFacts, error: unknown, { traceId }: ReconcileContext): Step {
  const cause = { ...failureCause(error), retryable: true };
  const failure = withTrace(cause, { traceId, before: facts.failure });
  return { facts: facts.basis ? facts : { ...facts, failure }, waitingFor: failure.message };
}
