import { toTimestamp, type Cluster, type Plan } from '@crate/api';
import type { CallContext, TypedClient } from '@crate/resource-client';
import { jsonEqual } from '@crate/resource-server';
import { APPROVED_PLAN_ANNOTATION, approvedPlanOf, markOf } from './approved-plan.js';
import { PlanChange, type ChangePorts } from './plan-change.js';
import { PlanDestruction } from './plan-destruction.js';
import type { PlanEnd, PlanFacts } from './plan-facts.js';
import { movedSince, type PlanPreparation, type Prepared } from './plan-preparation.js';
import { POLICY_DENIED, Steps, WORLD_MOVED, type Step } from './plan-step.js';

export interface ExecutionPorts extends ChangePorts {
  readonly clusters: Pick<TypedClient<Cluster>, 'find' | 'merge' | 'remove'>;
  readonly plans: Pick<TypedClient<Plan>, 'find'>;
  readonly preparation: PlanPreparation;
}

type Execution = NonNullable<PlanFacts['execution']>;

/** Carries an approved plan out: exactly as it was approved, or not at all. Every step may be repeated. */
export class PlanExecution {
  private readonly steps: Steps;
  private readonly change: PlanChange;
  private readonly destruction: PlanDestruction;

  constructor(
    private readonly ports: ExecutionPorts,
    now: () => Date,
  ) {
    this.steps = new Steps(now);
    this.change = new PlanChange(ports, this.steps);
    this.destruction = new PlanDestruction(ports, this.steps);
  }

  /** Looks whether the world is as it was, and records what is going to be done before anything is. */
  async begin(plan: Plan, facts: PlanFacts, context: CallContext): Promise<Step> {
    const { basis, wanted } = facts;
    if (!basis) return { facts };
    const found = await this.ports.preparation.prepare(plan, context);
    const moved = movedSince({ basis, wanted }, found);
    if (moved.length > 0) return this.steps.moved(facts, ...moved);
    const { cluster, consequences } = found;
    const denied = this.steps.denied({ ...facts, consequences });
    if (denied) return denied;
    if (cluster && wanted && jsonEqual(cluster.spec, wanted) && (await this.isInPlace(found, cluster))) {
      return this.steps.executed(facts, 'The cluster is as it is wished for', 'NothingToDo');
    }
    return this.steps.again({ ...facts, execution: this.intentOf(facts, found) });
  }

  /** Does what is not done yet, and looks how far it has come. */
  async carryOn(plan: Plan, facts: PlanFacts, context: CallContext): Promise<Step> {
    const cluster = await this.ports.clusters.find(plan.spec.clusterRef.name, plan.metadata.namespace);
    const way = plan.spec.destroy ? this.destruction : this.change;
    return way.carryOn(plan, facts, cluster, context);
  }

  /**
   * Takes the mark away once a plan has ended, unless the spec of one that cloud-mgmt refuses stands: without the mark cloud-mgmt would do
   * what nobody approved. Idempotent; throws Conflict when somebody writes the cluster meanwhile.
   */
  async release(plan: Plan, end: PlanFacts['end']): Promise<void> {
    const { name } = plan.spec.clusterRef;
    const cluster = await this.ports.clusters.find(name, plan.metadata.namespace);
    if (!cluster || markOf(cluster)?.uid !== plan.metadata.uid) return;
    if (end && isStillHeld(cluster, end)) return;
    // Of the very version that was looked at: the mark may be that of another plan by now.
    const { uid, resourceVersion } = cluster.metadata;
    const annotations = { [APPROVED_PLAN_ANNOTATION]: null };
    await this.ports.clusters.merge(name, plan.metadata.namespace, { metadata: { uid, resourceVersion, annotations } });
  }

  /** Whether there is nothing to be done for a cluster that has the spec, or nobody who would do it. */
  private async isInPlace({ consequences: { terraform } }: Prepared, cluster: Cluster): Promise<boolean> {
    const isInCloud = Object.values(terraform?.counts ?? {}).every((count) => count === 0);
    return (isInCloud || cluster.spec.paused) && !(await this.isLeft(cluster));
  }

  /** Whether cloud-mgmt is still held to a plan that has ended: then it waits for another approval of the same spec. */
  private async isLeft(cluster: Cluster): Promise<boolean> {
    const mark = markOf(cluster);
    if (!mark || !isHeld(cluster)) return false;
    const holder = await this.ports.plans.find(mark.name, cluster.metadata.namespace);
    return holder?.metadata.uid !== mark.uid || holder.status?.end !== undefined;
  }

  private intentOf({ wanted }: PlanFacts, { cluster }: Prepared): Execution {
    const isSame = jsonEqual(cluster?.spec, wanted);
    return {
      startedAt: toTimestamp(this.steps.now()),
      ...(wanted ? { generation: (cluster?.metadata.generation ?? 0) + (isSame ? 0 : 1) } : {}),
      ...(cluster && wanted ? { ...formerOf(cluster), wasHeld: isHeld(cluster) } : {}),
    };
  }
}

/** What the cluster is given back where nothing of the plan is carried out. */
function formerOf({ spec, metadata: { managedFields } }: Cluster): Pick<Execution, 'previous' | 'previousOwners'> {
  return { previous: { ...spec }, previousOwners: (managedFields ?? []).map((entry) => ({ ...entry })) };
}

/** Nobody is locked out: the mark is void once the spec changes again. */
function isStillHeld(cluster: Cluster, { phase, reason }: PlanEnd): boolean {
  return phase === 'Failed' && [WORLD_MOVED, POLICY_DENIED].includes(reason) && isHeld(cluster);
}

function isHeld(cluster: Cluster): boolean {
  return approvedPlanOf(cluster).approvedPlan !== undefined;
}
