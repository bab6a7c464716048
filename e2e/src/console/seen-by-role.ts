/** A page by its address, with its heading, and words that say what somebody may not, or what there is not, for them. */
export type SeenPage = readonly [path: string, heading: string, words?: string];

const REFUSED = 'You may not see this';
const NO_PROJECT = 'There is no Project that you are a member of.';
const CLUSTER = '/clusters/team-a/demo';

/** What a viewer of the Project sees: what there is, but for its keys and its audit log. */
export const SEEN_BY_VIEWER: readonly SeenPage[] = [
  ['/', 'Fleet', 'demo'],
  ['/create?project=team-a&step=start', 'New cluster', 'You may not make clusters in team-a'],
  ...['overview', 'plan', 'nodes', 'add-ons', 'yaml', 'state'].map((tab): SeenPage => [`${CLUSTER}/${tab}`, 'demo']),
  ['/policies/waivers', 'Policies'],
  ['/policies/try', 'Policies'],
  ['/policies/rules/cluster-region-allowed', 'Policies'],
  ['/projects', 'Projects', 'team-a'],
  ...['overview', 'members', 'accounts'].map((part): SeenPage => [`/projects/team-a/${part}`, 'team-a']),
  ['/projects/team-a/keys', 'team-a', REFUSED],
  ['/notifications', 'Notifications', 'alerts'],
  ['/notifications/team-a/alerts', 'alerts'],
  ['/audit', 'Audit', REFUSED],
  ['/platform', 'Platform', 'Those who run it see here more'],
];

/** What somebody sees who belongs to no Project, also of one whose addresses they were sent. */
export const SEEN_BY_STRANGER: readonly SeenPage[] = [
  ['/', 'Fleet', 'There is no cluster yet'],
  ['/create?project=team-a&step=cloud', 'New cluster', 'You see no account in this project'],
  [`${CLUSTER}/overview`, 'demo', REFUSED],
  [`${CLUSTER}/yaml`, 'demo', REFUSED],
  ['/policies/compliance', 'Policies', NO_PROJECT],
  ['/policies/try', 'Policies', NO_PROJECT],
  ['/projects', 'Projects', 'You are a member of none'],
  ['/projects/team-a/overview', 'team-a', 'There is no Project team-a'],
  ['/notifications', 'Notifications', NO_PROJECT],
  ['/notifications/team-a/alerts', 'alerts', REFUSED],
  ['/audit', 'Audit', NO_PROJECT],
  ['/platform', 'Platform', 'Those who run it see here more'],
];
