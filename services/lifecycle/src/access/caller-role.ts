import { PROJECT_ROLES, type Project, type ProjectRole } from '@crate/api';
import { PLATFORM_ADMIN_GROUP } from '@crate/auth';
import type { Caller } from '@crate/resource-client';

/** Names that begin so are the platform's own: API keys, services. */
const API_KEY_PREFIX = 'system:apikey:';
const KEY_PROJECT = 'authentication.crate.dev/project';
const KEY_ROLE = 'authentication.crate.dev/role';

/** Members of one Project, by name. */
export interface Members {
  readonly users: ReadonlyMap<string, ProjectRole>;
  readonly groups: ReadonlyMap<string, ProjectRole>;
}

/** Who a Project names, each with the highest role it is given. */
export function membersOf({ spec }: Pick<Project, 'spec'>): Members {
  const users = new Map<string, ProjectRole>();
  const groups = new Map<string, ProjectRole>();
  for (const { kind, name, role } of spec.members) {
    const map = kind === 'User' ? users : groups;
    map.set(name, higher(map.get(name), role) ?? role);
  }
  return { users, groups };
}

/** The role of a caller in a Project with these members; undefined for a stranger. A key has its role in its own Project only. */
export function roleIn(project: string, members: Members, caller: Caller): ProjectRole | undefined {
  if (isApiKey(caller)) return keyRole(project, caller);
  return caller.groups.reduce((role, group) => higher(role, members.groups.get(group)), members.users.get(caller.user));
}

export function isPlatformAdmin({ groups }: Caller): boolean {
  return groups.includes(PLATFORM_ADMIN_GROUP);
}

/** True for a machine that signed in with an API key. */
export function isApiKey({ user }: Pick<Caller, 'user'>): boolean {
  return user.startsWith(API_KEY_PREFIX);
}

/** True for somebody with a face: neither a key nor a service. */
export function isPerson(caller: Caller): boolean {
  return caller.service === undefined && !isApiKey(caller);
}

function keyRole(project: string, { user, extra }: Caller): ProjectRole | undefined {
  const isOwn = extra?.[KEY_PROJECT]?.[0] === project && user.startsWith(`${API_KEY_PREFIX}${project}:`);
  return isOwn ? PROJECT_ROLES.find((role) => role === extra[KEY_ROLE]?.[0]) : undefined;
}

function higher(left: ProjectRole | undefined, right: ProjectRole | undefined): ProjectRole | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  return PROJECT_ROLES.indexOf(left) >= PROJECT_ROLES.indexOf(right) ? left : right;
}
