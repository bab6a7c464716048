import type { PolicyWaiver } from '@crate/api';
import type { ActiveWaiver } from '@crate/policy-engine';
import type { TypedClient } from '@crate/resource-client';
import type { Logger } from '@crate/telemetry';
import { FollowedObjects } from '../follow/followed-objects.js';
import { approvalOf, factsOf, type WaiverFacts } from './waiver.facts.js';

/** A waiver as reviews look at it. */
export interface FollowedWaiver {
  readonly facts: WaiverFacts;
  /** Absent while not enough people approved it, and once it was taken back or is being deleted. */
  readonly active?: ActiveWaiver;
}

/** All waivers, kept up to date by a watch. */
export class WaiverCatalogue extends FollowedObjects<PolicyWaiver, FollowedWaiver> {
  constructor(client: TypedClient<PolicyWaiver>, logger: Logger) {
    super(client, logger, followed);
  }

  /** What was approved in a Project, also what has expired since: that is for the clock to say when a document is judged. */
  inProject(project: string): readonly ActiveWaiver[] {
    return this.of(project).flatMap(({ active }) => active ?? []);
  }

  /** Facts of every waiver there is; none while they are not loaded. */
  facts(): readonly WaiverFacts[] {
    return this.revision === undefined ? [] : this.all().map(({ facts }) => facts);
  }
}

function followed(waiver: PolicyWaiver): FollowedWaiver {
  const facts = factsOf(waiver);
  const approved = approvalOf(facts);
  const { metadata, spec } = waiver;
  if (!approved || facts.revoked || metadata.deletionTimestamp) return { facts };
  const { name, namespace = '' } = metadata;
  const { policies, clusters, fields } = spec;
  const { expiresAtMs } = facts;
  const scope = { policies, ...(clusters ? { clusters } : {}), ...(fields ? { fields } : {}) };
  return { facts, active: { namespace, name, ...scope, expiresAtMs, authority: approved.authority } };
}
