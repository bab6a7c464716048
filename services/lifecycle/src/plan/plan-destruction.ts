import { findCondition, type Cluster, type Plan } from '@crate/api';
import { hasCode } from '@crate/errors';
import type { CallContext, ResourceApi } from '@crate/resource-client';
import type { PlanFacts } from './plan-facts.js';
import { REFUSALS, type Step, type Steps } from './plan-step.js';
import { WishedWrite } from './wished-write.js';

/** Carries out a plan that takes a cluster away. */
export class PlanDestruction {
  constructor(
    private readonly api: ResourceApi,
    private readonly steps: Steps,
  ) {}

  /** Deletes the cluster that was planned for, and waits until it is gone. */
  async carryOn(plan: Plan, facts: PlanFacts, cluster: Cluster | undefined, context: CallContext): Promise<Step> {
    if (!cluster || cluster.metadata.uid !== facts.basis?.clusterUid) {
      return this.steps.executed(facts, 'The cluster is gone');
    }
    const { deletionTimestamp, generation } = cluster.metadata;
    if (deletionTimestamp !== undefined) {
      return this.steps.underWay(facts, findCondition(cluster.status?.conditions, 'Deleting')?.message ?? '');
    }
    const before = facts.basis.generation;
    if (generation !== before) {
      return this.steps.moved(facts, `the generation of the cluster is ${generation}, it was ${before ?? 'none'}`);
    }
    return this.remove(plan, facts, cluster, context);
  }

  private async remove(plan: Plan, facts: PlanFacts, cluster: Cluster, context: CallContext): Promise<Step> {
    try {
      await new WishedWrite(this.api, context).run(plan, cluster, { dryRun: false });
      return this.steps.underWay(facts, 'Being deleted');
    } catch (error) {
      if (hasCode(error, 'Conflict')) return this.steps.again(facts);
      if (!hasCode(error, ...REFUSALS)) throw error;
      return this.steps.moved(facts, (error as Error).message);
    }
  }
}
