import { PROJECT } from '@crate/api';
import type { Caller } from '@crate/resource-client';
import type { AuthorizationAttributes, ResourceAttributes } from '@crate/resource-server';
import { isPlatformAdmin } from './caller-role.js';
import { leastRole, reaches, type LeastRole } from './permissions.js';
import type { ProjectMembers } from './project-members.js';

export interface AccessDecision {
  readonly allowed: boolean;
  /** For the person: why. The same whether or not what was asked for exists. */
  readonly reason: string;
}

/** Discovery, as Kubernetes' `system:discovery` role lists it; the fleet, of which everybody sees their own; and whether services are well. */
const DISCOVERY = ['fleet', 'platform', 'version', 'api', 'apis', 'openapi', 'docs', 'healthz', 'livez', 'readyz'];
const DISCOVERED = new RegExp(`^/(${DISCOVERY.join('|')})(/|$)`);

/** What everyone who is signed in may read, as rules of Kubernetes have it. */
export const DISCOVERY_PATHS = DISCOVERY.flatMap((path) => [`/${path}`, `/${path}/*`]);

/** Decides what a signed-in caller may do, by the table of permissions and the members of Projects. */
export class ProjectAuthorizer {
  constructor(private readonly members: Pick<ProjectMembers, 'roleOf'>) {}

  /** Throws Unavailable while members are not known. */
  decide(caller: Caller, attributes: AuthorizationAttributes): AccessDecision {
    if ('path' in attributes) return decidePath(caller, attributes);
    const least = leastRole(attributes);
    if (least === 'nobody') return { allowed: false, reason: 'Only services write it' };
    if (isPlatformAdmin(caller)) return { allowed: true, reason: 'Platform administrator' };
    if (least === 'everyone') return { allowed: true, reason: 'Open to everyone who is signed in' };
    if (least === 'platform-admin') return { allowed: false, reason: 'Needs to be a platform administrator' };
    return this.decideInProject(caller, attributes, least);
  }

  private decideInProject(caller: Caller, attributes: ResourceAttributes, least: LeastRole): AccessDecision {
    const project = projectOf(attributes);
    if (project !== undefined) {
      const allowed = reaches(this.members.roleOf(caller, project), least);
      return { allowed, reason: `Needs role ${least} in Project ${JSON.stringify(project)}` };
    }
    if (isOwnProjects(attributes)) return { allowed: true, reason: 'Shows the Projects of the caller' };
    return { allowed: false, reason: `Needs to be a platform administrator, or a namespace in which to be ${least}` };
  }
}

function decidePath(caller: Caller, { verb, path }: { readonly verb: string; readonly path: string }): AccessDecision {
  const allowed = isPlatformAdmin(caller) || (verb === 'get' && DISCOVERED.test(path));
  return { allowed, reason: allowed ? 'Open to everyone who is signed in' : 'Needs to be a platform administrator' };
}

/** A Project is its own namespace. */
function projectOf({ group, resource, namespace, name }: ResourceAttributes): string | undefined {
  return isProjects({ group, resource }) ? name : namespace;
}

/** Lists of Projects are open to everyone, because each sees their own only. */
function isOwnProjects({ verb, group, resource, subresource }: ResourceAttributes): boolean {
  return isProjects({ group, resource }) && subresource === undefined && (verb === 'list' || verb === 'watch');
}

function isProjects({ group, resource }: Pick<ResourceAttributes, 'group' | 'resource'>): boolean {
  return group === PROJECT.group && resource === PROJECT.plural;
}
