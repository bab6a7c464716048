import { findCondition, isExisting, type Cluster, type Infrastructure, type Plan } from '@crate/api';
import { hasCode } from '@crate/errors';
import type { CallContext, ResourceApi, TypedClient } from '@crate/resource-client';
import { APPROVED_PLAN_ANNOTATION, approvedDestructionOf, markOf, markText } from './approved-plan.js';
import { decidedBy, type PlanFacts } from './plan-facts.js';
import { REFUSALS, WORLD_MOVED, type Step, type Steps } from './plan-step.js';
import { isOutdated } from './plan-verdict.js';
import { WishedWrite } from './wished-write.js';

export interface DestructionPorts {
  readonly api: ResourceApi;
  readonly clusters: Pick<TypedClient<Cluster>, 'merge'>;
  readonly infrastructures: Pick<TypedClient<Infrastructure>, 'find'>;
}

const UNDER_WAY = 'Being deleted';
const OUTDATED =
  'The world has moved: Terraform would destroy something else than was approved, and destroys nothing. ' +
  'The cluster stays in deletion: plan its deletion anew, and approve that plan';

/** Carries out a plan that takes a cluster away. */
export class PlanDestruction {
  constructor(
    private readonly ports: DestructionPorts,
    private readonly steps: Steps,
  ) {}

  /** Deletes the cluster that was planned for, holds cloud-mgmt to what was approved, and waits until it is gone. */
  async carryOn(plan: Plan, facts: PlanFacts, cluster: Cluster | undefined, context: CallContext): Promise<Step> {
    const { basis } = facts;
    if (!basis || !cluster || cluster.metadata.uid !== basis.clusterUid) {
      return this.steps.executed(facts, 'The cluster is gone');
    }
    const { deletionTimestamp, generation } = cluster.metadata;
    if (deletionTimestamp === undefined && generation !== basis.generation) {
      const was = basis.generation ?? 'none';
      return this.steps.moved(facts, `the generation of the cluster is ${generation}, it was ${was}`);
    }
    const holder = markOf(cluster);
    if (holder?.destroy && holder.uid !== plan.metadata.uid) {
      return this.steps.underWay(facts, `Plan "${holder.name}" carries the deletion out`);
    }
    return this.destroy({ plan, facts, cluster, digest: basis.digest }, context);
  }

  private async destroy({ plan, facts, cluster, digest }: Destruction, context: CallContext): Promise<Step> {
    const write = new WishedWrite(this.ports.api, decidedBy(context, facts));
    const isAsked = cluster.metadata.deletionTimestamp !== undefined;
    try {
      // A refusal leaves the mark of a change that is under way where it is: cloud-mgmt stays held to that.
      if (!isAsked) await write.run(plan, cluster, { dryRun: true });
      // Before it is asked for: nothing may be destroyed by a deletion that is not held to the plan.
      const marked = await this.mark(plan, digest, cluster);
      if (isAsked) return await this.follow(facts, marked);
      await write.run(plan, marked, { dryRun: false });
      return this.steps.underWay(facts, UNDER_WAY);
    } catch (error) {
      if (hasCode(error, 'Conflict')) return this.steps.again(facts);
      if (!hasCode(error, ...REFUSALS)) throw error;
      return this.steps.moved(facts, (error as Error).message);
    }
  }

  private async mark({ metadata: { name, uid } }: Plan, digest: string, cluster: Cluster): Promise<Cluster> {
    if (markOf(cluster)?.uid === uid) return cluster;
    const { metadata } = cluster;
    const mark = markText({ name, uid, digest, generation: metadata.generation, destroy: true });
    return this.ports.clusters.merge(metadata.name, metadata.namespace, {
      metadata: {
        uid: metadata.uid,
        resourceVersion: metadata.resourceVersion,
        annotations: { [APPROVED_PLAN_ANNOTATION]: mark },
      },
    });
  }

  private async follow(facts: PlanFacts, cluster: Cluster): Promise<Step> {
    const { name, namespace } = cluster.metadata;
    const found = isExisting(cluster) ? undefined : await this.ports.infrastructures.find(name, namespace);
    if (found && isOutdated(found, approvedDestructionOf(cluster))) {
      return this.steps.failed(facts, WORLD_MOVED, OUTDATED);
    }
    return this.steps.underWay(facts, findCondition(cluster.status?.conditions, 'Deleting')?.message || UNDER_WAY);
  }
}

interface Destruction {
  readonly plan: Plan;
  readonly facts: PlanFacts;
  readonly cluster: Cluster;
  readonly digest: string;
}
