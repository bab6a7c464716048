import type { ProjectRole } from '@crate/api';

/** Who may do something: everyone who is signed in, members of the Project from a role on, the platform's own people, or nobody. */
export type LeastRole = 'everyone' | ProjectRole | 'platform-admin' | 'nobody';

type Row = readonly [resource: string, read: LeastRole, create: LeastRole, change: LeastRole, remove: LeastRole];

/**
 * Who may do what through the public API. `read` is get, list and watch; `change` is update and patch; `remove` is delete and
 * deletecollection. Services act on their own account elsewhere and do not pass here. What has no row is for platform-admin alone.
 * `nobody` holds for platform-admin too: what a service reports is never written by hand.
 */
const KINDS: readonly Row[] = [
  ['projects.lifecycle.crate.dev', 'viewer', 'platform-admin', 'admin', 'platform-admin'],
  ['clusters.lifecycle.crate.dev', 'viewer', 'operator', 'operator', 'operator'],
  ['nodepools.lifecycle.crate.dev', 'viewer', 'operator', 'operator', 'operator'],
  ['plans.lifecycle.crate.dev', 'viewer', 'operator', 'operator', 'operator'],
  ['apikeys.lifecycle.crate.dev', 'admin', 'admin', 'admin', 'admin'],
  ['notificationchannels.lifecycle.crate.dev', 'viewer', 'admin', 'admin', 'admin'],
  ['components.lifecycle.crate.dev', 'platform-admin', 'nobody', 'platform-admin', 'nobody'],
  ['clusterclasses.lifecycle.crate.dev', 'everyone', 'platform-admin', 'platform-admin', 'platform-admin'],
  ['clusterclassrevisions.lifecycle.crate.dev', 'everyone', 'nobody', 'nobody', 'nobody'],
  ['addons.lifecycle.crate.dev', 'everyone', 'platform-admin', 'platform-admin', 'platform-admin'],
  ['auditevents.lifecycle.crate.dev', 'admin', 'nobody', 'nobody', 'nobody'],
  ['cloudaccounts.cloud.crate.dev', 'viewer', 'admin', 'admin', 'admin'],
  ['infrastructures.cloud.crate.dev', 'viewer', 'nobody', 'nobody', 'nobody'],
  ['stateversions.cloud.crate.dev', 'viewer', 'nobody', 'nobody', 'nobody'],
  ['deletionrecords.cloud.crate.dev', 'viewer', 'nobody', 'nobody', 'nobody'],
  ['kubernetesclusters.cluster.crate.dev', 'viewer', 'nobody', 'nobody', 'nobody'],
  ['enginestateversions.cluster.crate.dev', 'viewer', 'nobody', 'nobody', 'nobody'],
  ['addoninstallations.cluster.crate.dev', 'viewer', 'nobody', 'nobody', 'nobody'],
  ['policies.policy.crate.dev', 'everyone', 'platform-admin', 'platform-admin', 'platform-admin'],
  ['policyimpactreviews.policy.crate.dev', 'nobody', 'platform-admin', 'nobody', 'nobody'],
  ['clusterpolicyreports.wgpolicyk8s.io', 'everyone', 'nobody', 'nobody', 'nobody'],
  ['policyreports.wgpolicyk8s.io', 'viewer', 'nobody', 'nobody', 'nobody'],
  ['policywaivers.policy.crate.dev', 'viewer', 'operator', 'operator', 'operator'],
  ['events.', 'viewer', 'nobody', 'nobody', 'nobody'],
  ['events.events.k8s.io', 'viewer', 'nobody', 'nobody', 'nobody'],
  ['customresourcedefinitions.apiextensions.k8s.io', 'everyone', 'nobody', 'nobody', 'nobody'],
  // Questions about oneself.
  ['selfsubjectaccessreviews.authorization.k8s.io', 'nobody', 'everyone', 'nobody', 'nobody'],
  ['selfsubjectrulesreviews.authorization.k8s.io', 'nobody', 'everyone', 'nobody', 'nobody'],
  ['selfsubjectreviews.authentication.k8s.io', 'nobody', 'everyone', 'nobody', 'nobody'],
];

/**
 * Of every kind that has them, or of one kind, which then counts; whatever they say, nobody gets at a subresource who may not read
 * the kind.
 */
const SUBRESOURCES: readonly Row[] = [
  ['status', 'everyone', 'nobody', 'nobody', 'nobody'],
  ['scale', 'everyone', 'nobody', 'operator', 'nobody'],
  ['logs', 'everyone', 'nobody', 'nobody', 'nobody'],
  ['plan', 'everyone', 'nobody', 'nobody', 'nobody'],
  ['drift', 'everyone', 'nobody', 'nobody', 'nobody'],
  ['resources', 'everyone', 'nobody', 'nobody', 'nobody'],
  ['sweep', 'viewer', 'admin', 'nobody', 'nobody'],
  ['kubeconfig', 'operator', 'nobody', 'nobody', 'nobody'],
  ['approve', 'nobody', 'operator', 'nobody', 'nobody'],
  // Who may approve which waiver is decided there; nobody does who is less.
  ['policywaivers.policy.crate.dev/approve', 'nobody', 'admin', 'nobody', 'nobody'],
  ['revoke', 'nobody', 'operator', 'nobody', 'nobody'],
  ['token', 'nobody', 'admin', 'nobody', 'nobody'],
  ['deliveries', 'everyone', 'nobody', 'nobody', 'nobody'],
  ['notificationchannels.lifecycle.crate.dev/test', 'nobody', 'admin', 'nobody', 'nobody'],
  ['diff', 'everyone', 'everyone', 'nobody', 'nobody'],
  ['examples', 'everyone', 'nobody', 'nobody', 'nobody'],
  // A question: nothing is written.
  ['evaluate', 'nobody', 'everyone', 'nobody', 'nobody'],
  ['export', 'everyone', 'nobody', 'nobody', 'nobody'],
  ['compliance', 'everyone', 'nobody', 'nobody', 'nobody'],
  ['history', 'everyone', 'nobody', 'nobody', 'nobody'],
  ['restore', 'nobody', 'admin', 'nobody', 'nobody'],
  // The raw state and its lock: in an emergency, and for the groups that the configuration names, through the backend of Terraform.
  ['state', 'platform-admin', 'nobody', 'platform-admin', 'nobody'],
  ['lock', 'everyone', 'platform-admin', 'nobody', 'nobody'],
  ['unlock', 'nobody', 'admin', 'nobody', 'nobody'],
];

/** From the most to the fewest people. */
const ORDER: readonly LeastRole[] = ['everyone', 'viewer', 'operator', 'admin', 'platform-admin', 'nobody'];

const ACTIONS: Readonly<Record<string, 1 | 2 | 3 | 4>> = {
  get: 1,
  list: 1,
  watch: 1,
  create: 2,
  update: 3,
  patch: 3,
  delete: 4,
  deletecollection: 4,
};

const READ = 1;
const kinds = new Map(KINDS.map((row) => [row[0], row]));
const subresources = new Map(SUBRESOURCES.map((row) => [row[0], row]));

export interface Action {
  readonly verb: string;
  readonly group: string;
  /** Plural. */
  readonly resource: string;
  readonly subresource?: string;
}

/** The least that may do this; for what the tables do not know it is platform-admin. */
export function leastRole({ verb, group, resource, subresource }: Action): LeastRole {
  const action = Object.hasOwn(ACTIONS, verb) ? ACTIONS[verb] : undefined;
  const kind = kinds.get(`${resource}.${group}`);
  if (!action || !kind) return 'platform-admin';
  if (subresource === undefined) return kind[action];
  const row = subresources.get(`${resource}.${group}/${subresource}`) ?? subresources.get(subresource);
  const least = row?.[action] ?? 'platform-admin';
  return stricter(least, kind[READ]);
}

/** Whether a role is that role or more; without a role only what is open to everyone. */
export function reaches(role: ProjectRole | undefined, least: LeastRole): boolean {
  return ORDER.indexOf(role ?? 'everyone') >= ORDER.indexOf(least);
}

function stricter(left: LeastRole, right: LeastRole): LeastRole {
  return ORDER.indexOf(left) >= ORDER.indexOf(right) ? left : right;
}
