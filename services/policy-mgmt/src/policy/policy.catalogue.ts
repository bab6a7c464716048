import type { Policy, PolicyStage } from '@crate/api';
import { catalogued, withMetadataOf, type CataloguedPolicy } from '@crate/policy-engine';
import type { TypedClient } from '@crate/resource-client';
import type { Logger } from '@crate/telemetry';
import { FollowedObjects } from '../follow/followed-objects.js';

/** The rules in force, kept up to date by a watch and compiled once per change. */
export class PolicyCatalogue extends FollowedObjects<Policy, CataloguedPolicy> {
  /** Rules by stage, as of one version: they are asked for with each review, and change rarely. */
  private sorted = { version: -1, byStage: new Map<PolicyStage, readonly CataloguedPolicy[]>() };

  constructor(client: TypedClient<Policy>, logger: Logger) {
    super(client, logger, compiledOnce);
  }

  /** Rules of one stage by name. Throws Unavailable until all were read: no rules must not pass for no objection. */
  ofStage(stage: PolicyStage): readonly CataloguedPolicy[] {
    if (this.sorted.version !== this.version) this.sorted = { version: this.version, byStage: new Map() };
    const { byStage } = this.sorted;
    const rules = byStage.get(stage) ?? this.sortedRules(stage);
    byStage.set(stage, rules);
    return rules;
  }

  /** Every rule that reviews cannot judge by, which therefore objects; none while they are not loaded. */
  broken(): readonly CataloguedPolicy[] {
    if (this.revision === undefined) return [];
    return this.all().filter(({ compilations }) => [...compilations.values()].some(({ ok }) => !ok));
  }

  /** The rule ready to judge with: what is in force already where it is the same, or else compiled for this once. */
  compiled(policy: Policy): CataloguedPolicy {
    return compiledOnce(policy, this.find('', policy.metadata.name));
  }

  private sortedRules(stage: PolicyStage): readonly CataloguedPolicy[] {
    return this.all()
      .filter(({ policy }) => policy.spec.match.stages.includes(stage))
      .sort((left, right) => (left.policy.metadata.name < right.policy.metadata.name ? -1 : 1));
  }
}

function compiledOnce(policy: Policy, known: CataloguedPolicy | undefined): CataloguedPolicy {
  const { generation, uid } = policy.metadata;
  const before = known?.policy.metadata;
  return known && before?.generation === generation && before.uid === uid
    ? withMetadataOf(known, policy)
    : catalogued(policy);
}
