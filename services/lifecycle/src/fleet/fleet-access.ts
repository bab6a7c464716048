import { CLUSTER } from '@crate/api';
import type { Caller } from '@crate/resource-client';
import type { Authorize, ResourceAttributes } from '@crate/resource-server';
import type { ProjectAuthorizer } from '../access/project-authorizer.js';
import { withinScope } from '../api-key/api-key.scope.js';
import type { Labels } from './labels.js';

/** Whose clusters somebody sees. */
export interface Visible {
  /** By number of the label 1 for each Project; absent: all. */
  readonly projects?: Uint8Array;
  /** The same for all who see the same. */
  readonly key: string;
}

const { group, version, plural: resource } = CLUSTER;

/** Lets everybody see the clusters that they may list or watch one by one. */
export class FleetAccess {
  private readonly requireScope: Authorize = withinScope(() => Promise.resolve());

  constructor(
    private readonly authorizer: Pick<ProjectAuthorizer, 'decide'>,
    private readonly projects: Labels,
  ) {}

  /** Throws Forbidden for an API key with a narrower scope, Unavailable while members of Projects are not known. */
  async visibleTo(caller: Caller, verb: 'list' | 'watch'): Promise<Visible> {
    const attributes: ResourceAttributes = { verb, group, version, resource };
    await this.requireScope(caller, attributes);
    if (this.authorizer.decide(caller, attributes).allowed) return { key: '*' };
    const projects = this.projects.matching(
      (namespace) => this.authorizer.decide(caller, { ...attributes, namespace }).allowed,
    );
    return { projects, key: [...projects.keys()].filter((number) => projects[number] === 1).join() };
  }
}
