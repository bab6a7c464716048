import {
  findCondition,
  isConditionTrue,
  isExisting,
  type Cluster,
  type Infrastructure,
  type ManagedFieldsEntry,
  type Plan,
  type PlanBasis,
} from '@crate/api';
import { hasCode } from '@crate/errors';
import type { CallContext, ResourceApi, TypedClient } from '@crate/resource-client';
import { jsonEqual } from '@crate/resource-server';
import { approvedPlanOf, markOf, markText } from './approved-plan.js';
import { isPausedOnly, PAUSED } from './pausing.js';
import { decidedBy, type PlanFacts } from './plan-facts.js';
import { REFUSALS, type Step, type Steps } from './plan-step.js';
import { isBegun, isDone, refusalOf, type CloudRefusal } from './plan-verdict.js';
import { WishedWrite } from './wished-write.js';

export interface ChangePorts {
  readonly api: ResourceApi;
  readonly clusters: Pick<TypedClient<Cluster>, 'remove' | 'merge'>;
  readonly infrastructures: Pick<TypedClient<Infrastructure>, 'find'>;
}

const PUTTING_BACK = 'What is not as it should be is put back';

/** Carries out a plan that makes or changes a cluster. */
export class PlanChange {
  constructor(
    private readonly ports: ChangePorts,
    private readonly steps: Steps,
  ) {}

  /** Gives the cluster its spec unless it has it, and looks how far it has come. */
  async carryOn(plan: Plan, facts: PlanFacts, cluster: Cluster | undefined, context: CallContext): Promise<Step> {
    if (cluster && markOf(cluster)?.uid === plan.metadata.uid) return this.follow(given(facts), cluster, context);
    if (isOvertaken(facts, cluster)) return this.superseded(facts, cluster);
    const { basis } = facts;
    if (!basis || !isAsPlanned(cluster, basis)) {
      const [is, was] = [cluster?.metadata.generation, basis?.generation].map((each) => each ?? 'none');
      return this.steps.moved(facts, `the generation of the cluster is ${is}, it was ${was}`);
    }
    const { name, uid: planUid } = plan.metadata;
    const after = facts.execution?.generation ?? 0;
    const mark = markText({ name, uid: planUid, digest: basis.digest, generation: after });
    return this.write({ plan, facts, cluster, mark }, new WishedWrite(this.ports.api, decidedBy(context, facts)));
  }

  private async write({ plan, facts, cluster, mark }: Writing, write: WishedWrite): Promise<Step> {
    try {
      const tried = await write.run(plan, cluster, { dryRun: true });
      if (!jsonEqual(tried?.spec, facts.wanted)) {
        return this.steps.moved(facts, 'what is filled in for the cluster is not the same');
      }
      // Of the very version that was tried: what is stored is what was approved.
      await write.run(plan, cluster, { dryRun: false, mark });
      return this.steps.underWay(given(facts), 'The cluster has the new spec');
    } catch (error) {
      if (hasCode(error, 'Conflict')) return this.steps.again(facts);
      if (!hasCode(error, ...REFUSALS)) throw error;
      return this.steps.moved(facts, (error as Error).message);
    }
  }

  private async follow(facts: PlanFacts, cluster: Cluster, context: CallContext): Promise<Step> {
    const { generation } = cluster.metadata;
    const isChanged = generation !== (facts.execution?.generation ?? generation);
    if (isChanged || isGone(cluster)) return this.superseded(facts, cluster);
    const infrastructure = await this.infrastructureOf(cluster);
    const answer = infrastructure && (await this.answerTo({ facts, cluster, infrastructure }, context));
    return answer ?? this.lookAt(facts, cluster);
  }

  private superseded(facts: PlanFacts, cluster: Cluster | undefined): Step {
    const what = isGone(cluster) ? 'The cluster was deleted' : 'The spec of the cluster was changed again';
    const message = `${what} while the plan was carried out`;
    return this.steps.failed(facts, 'Superseded', message);
  }

  /** What follows from what cloud-mgmt makes of the plan; undefined where it only has to go on. */
  private async answerTo(
    { facts, cluster, infrastructure }: Followed,
    context: CallContext,
  ): Promise<Step | undefined> {
    const held = approvedPlanOf(cluster);
    const isSame = jsonEqual(facts.execution?.previous, cluster.spec);
    const refusal = refusalOf(infrastructure, held);
    if (!refusal) {
      // The cluster may be called Ready from before: no generation tells that drift was put back.
      return isSame && !isDone(infrastructure, held) ? this.steps.underWay(facts, hindranceOf(cluster)) : undefined;
    }
    // What runs belongs to the new spec by now: with the former one Terraform would undo it, which nobody approved.
    if (isBegun(infrastructure)) return this.steps.failed(facts, refusal.reason, refusal.stays);
    return isSame ? this.leave(facts, refusal) : this.takeBack({ facts, cluster, refusal }, context);
  }

  /** Nothing of the plan is done: a cluster that went on by itself does so again, one that waited for an approval goes on waiting. */
  private leave(facts: PlanFacts, { reason, message, stays }: CloudRefusal): Step {
    if (facts.execution?.wasHeld !== false) return this.steps.failed(facts, reason, stays);
    const left = `${message}; the cluster goes on as before the plan. Make another plan`;
    return this.steps.end(facts, 'Refused', { reason, message: left });
  }

  private lookAt(facts: PlanFacts, { metadata: { generation }, spec, status }: Cluster): Step {
    const conditions = status?.conditions;
    if (spec.paused && isConditionTrue(conditions, 'Paused', generation)) return this.paused(facts, spec);
    if (isConditionTrue(conditions, 'Ready', generation)) {
      return this.steps.executed(facts, 'Everything was done as approved');
    }
    return this.steps.underWay(facts, findCondition(conditions, 'Ready')?.message || 'Being carried out');
  }

  private paused(facts: PlanFacts, spec: Cluster['spec']): Step {
    if (isPausedOnly(facts.execution?.previous, spec)) return this.steps.executed(facts, 'The cluster is paused');
    return this.steps.failed(facts, PAUSED, 'The cluster has the new spec, and is paused: it is not carried out');
  }

  private async infrastructureOf(cluster: Cluster): Promise<Infrastructure | undefined> {
    if (isExisting(cluster)) return undefined;
    return this.ports.infrastructures.find(cluster.metadata.name, cluster.metadata.namespace);
  }

  private async takeBack({ facts, cluster, refusal }: TakingBack, context: CallContext): Promise<Step> {
    const { reason, message } = refusal;
    try {
      await this.giveBack(facts, cluster, context);
      const back = `${message}; the cluster has its former spec again. Make another plan`;
      return this.steps.end(facts, 'Refused', { reason, message: back });
    } catch (error) {
      if (hasCode(error, 'Conflict')) return this.steps.again(facts);
      if (!hasCode(error, ...REFUSALS)) throw error;
      const why = `the cluster could not be given its former spec: ${(error as Error).message}`;
      return this.steps.failed(facts, reason, `${message}, and ${why}`);
    }
  }

  private async giveBack({ execution }: PlanFacts, cluster: Cluster, context: CallContext): Promise<void> {
    const { name, namespace, uid, resourceVersion } = cluster.metadata;
    const { previous: spec, previousOwners: owners } = execution ?? {};
    const former = { spec, owners: owners as ManagedFieldsEntry[] | undefined };
    if (spec) return new WishedWrite(this.ports.api, context).takeBack(cluster, former);
    await this.ports.clusters.remove(name, namespace, { preconditions: { uid, resourceVersion } });
  }
}

/** What keeps a cluster from being as it should, where anybody knows. */
function hindranceOf({ status }: Cluster): string {
  const ready = findCondition(status?.conditions, 'Ready');
  return (ready?.status === 'False' && ready.message) || PUTTING_BACK;
}

function given(facts: PlanFacts): PlanFacts {
  return facts.execution ? { ...facts, execution: { ...facts.execution, wasGiven: true } } : facts;
}

/**
 * Another spec came, or another plan, after that of this one, or the cluster was deleted: it is not made again.
 * Without a mark and with its former spec, it was given that back.
 */
function isOvertaken({ execution }: PlanFacts, cluster: Cluster | undefined): boolean {
  if (!execution?.wasGiven) return false;
  if (!cluster) return true;
  return markOf(cluster) !== undefined || !jsonEqual(execution.previous, cluster.spec);
}

/** Also while something holds it: it does not come back. */
function isGone(cluster: Cluster | undefined): boolean {
  return !cluster || cluster.metadata.deletionTimestamp !== undefined;
}

function isAsPlanned(cluster: Cluster | undefined, { clusterUid, generation }: PlanBasis): boolean {
  return cluster?.metadata.uid === clusterUid && cluster?.metadata.generation === generation;
}

interface Followed {
  readonly facts: PlanFacts;
  readonly cluster: Cluster;
  readonly infrastructure: Infrastructure;
}

interface TakingBack {
  readonly facts: PlanFacts;
  readonly cluster: Cluster;
  readonly refusal: CloudRefusal;
}

interface Writing {
  readonly plan: Plan;
  readonly facts: PlanFacts;
  readonly cluster: Cluster | undefined;
  readonly mark: string;
}
