import {
  findCondition,
  isConditionTrue,
  isExisting,
  type Cluster,
  type Infrastructure,
  type Plan,
  type PlanBasis,
} from '@crate/api';
import { hasCode } from '@crate/errors';
import type { CallContext, ResourceApi, TypedClient } from '@crate/resource-client';
import { jsonEqual } from '@crate/resource-server';
import { approvedPlanOf, markOf, markText } from './approved-plan.js';
import { isPausedOnly, PAUSED } from './pausing.js';
import type { PlanFacts } from './plan-facts.js';
import { REFUSALS, WORLD_MOVED, type Step, type Steps } from './plan-step.js';
import { isBegun, isOutdated } from './plan-verdict.js';
import { WishedWrite } from './wished-write.js';

export interface ChangePorts {
  readonly api: ResourceApi;
  readonly clusters: Pick<TypedClient<Cluster>, 'remove' | 'merge'>;
  readonly infrastructures: Pick<TypedClient<Infrastructure>, 'find'>;
}

const STAYS =
  'The world has moved: Terraform would do something else than what is left of the approved plan, and does no more. ' +
  'The cluster keeps its spec: plan that anew, or another change, and approve that plan';

/** Carries out a plan that makes or changes a cluster. */
export class PlanChange {
  constructor(
    private readonly ports: ChangePorts,
    private readonly steps: Steps,
  ) {}

  /** Gives the cluster its spec unless it has it, and looks how far it has come. */
  async carryOn(plan: Plan, facts: PlanFacts, cluster: Cluster | undefined, context: CallContext): Promise<Step> {
    if (cluster && markOf(cluster)?.uid === plan.metadata.uid) return this.follow(facts, cluster, context);
    const { basis } = facts;
    if (!basis || !isAsPlanned(cluster, basis)) {
      const [is, was] = [cluster?.metadata.generation, basis?.generation].map((each) => each ?? 'none');
      return this.steps.moved(facts, `the generation of the cluster is ${is}, it was ${was}`);
    }
    const { name, uid: planUid } = plan.metadata;
    const after = facts.execution?.generation ?? 0;
    const mark = markText({ name, uid: planUid, digest: basis.digest, generation: after });
    return this.write({ plan, facts, cluster, mark }, new WishedWrite(this.ports.api, context));
  }

  private async write({ plan, facts, cluster, mark }: Writing, write: WishedWrite): Promise<Step> {
    try {
      const tried = await write.run(plan, cluster, { dryRun: true });
      if (!jsonEqual(tried?.spec, facts.wanted)) {
        return this.steps.moved(facts, 'what is filled in for the cluster is not the same');
      }
      // Of the very version that was tried: what is stored is what was approved.
      await write.run(plan, cluster, { dryRun: false, mark });
      return this.steps.underWay(facts, 'The cluster has the new spec');
    } catch (error) {
      if (hasCode(error, 'Conflict')) return this.steps.again(facts);
      if (!hasCode(error, ...REFUSALS)) throw error;
      return this.steps.moved(facts, (error as Error).message);
    }
  }

  private async follow(facts: PlanFacts, cluster: Cluster, context: CallContext): Promise<Step> {
    const { generation } = cluster.metadata;
    if (generation !== (facts.execution?.generation ?? generation)) {
      const message = 'The spec of the cluster was changed again while the plan was carried out';
      return this.steps.failed(facts, 'Superseded', message);
    }
    const outdated = await this.findOutdated(cluster);
    // What runs belongs to the new spec by now: with the former one Terraform would undo it, which nobody approved.
    const stays = outdated && (isBegun(outdated) || jsonEqual(facts.execution?.previous, cluster.spec));
    if (stays) return this.steps.failed(facts, WORLD_MOVED, STAYS);
    if (outdated) return this.takeBack(facts, cluster, context);
    return this.lookAt(facts, cluster);
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

  /** The infrastructure when cloud-mgmt has found another plan than the approved one, or than what is left of it. */
  private async findOutdated(cluster: Cluster): Promise<Infrastructure | undefined> {
    if (isExisting(cluster)) return undefined;
    const { name, namespace } = cluster.metadata;
    const found = await this.ports.infrastructures.find(name, namespace);
    return found && isOutdated(found, approvedPlanOf(cluster)) ? found : undefined;
  }

  private async takeBack(facts: PlanFacts, cluster: Cluster, context: CallContext): Promise<Step> {
    try {
      await this.giveBack(facts, cluster, context);
      return this.steps.moved(facts, 'Terraform would do something else; the cluster has its former spec again');
    } catch (error) {
      if (hasCode(error, 'Conflict')) return this.steps.again(facts);
      if (!hasCode(error, ...REFUSALS)) throw error;
      const why = `the cluster could not be given its former spec: ${(error as Error).message}`;
      return this.steps.failed(facts, WORLD_MOVED, `The world has moved, and ${why}`);
    }
  }

  private async giveBack({ execution }: PlanFacts, cluster: Cluster, context: CallContext): Promise<void> {
    const { name, namespace, uid, resourceVersion } = cluster.metadata;
    const previous = execution?.previous;
    if (previous) return new WishedWrite(this.ports.api, context).takeBack(cluster, previous);
    await this.ports.clusters.remove(name, namespace, { preconditions: { uid, resourceVersion } });
  }
}

function isAsPlanned(cluster: Cluster | undefined, { clusterUid, generation }: PlanBasis): boolean {
  return cluster?.metadata.uid === clusterUid && cluster?.metadata.generation === generation;
}

interface Writing {
  readonly plan: Plan;
  readonly facts: PlanFacts;
  readonly cluster: Cluster | undefined;
  readonly mark: string;
}
