/** A kind as the public API serves it. */
export interface ApiKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
}

const LIFECYCLE = 'lifecycle.crate.dev';
const CLOUD = 'cloud.crate.dev';
const CLUSTER = 'cluster.crate.dev';
const POLICY = 'policy.crate.dev';
const REPORTS = 'wgpolicyk8s.io';

/** The kinds the page speaks of; the schemas themselves stay at the server. */
export const KINDS = {
  cluster: kind(LIFECYCLE, 'Cluster', 'clusters'),
  clusterClass: kind(LIFECYCLE, 'ClusterClass', 'clusterclasses', false),
  project: kind(LIFECYCLE, 'Project', 'projects', false),
  addOn: kind(LIFECYCLE, 'AddOn', 'addons', false),
  plan: kind(LIFECYCLE, 'Plan', 'plans'),
  nodePool: kind(LIFECYCLE, 'NodePool', 'nodepools'),
  notificationChannel: kind(LIFECYCLE, 'NotificationChannel', 'notificationchannels'),
  apiKey: kind(LIFECYCLE, 'APIKey', 'apikeys'),
  cloudAccount: kind(CLOUD, 'CloudAccount', 'cloudaccounts'),
  infrastructure: kind(CLOUD, 'Infrastructure', 'infrastructures'),
  deletionRecord: kind(CLOUD, 'DeletionRecord', 'deletionrecords'),
  kubernetesCluster: kind(CLUSTER, 'KubernetesCluster', 'kubernetesclusters'),
  addOnInstallation: kind(CLUSTER, 'AddOnInstallation', 'addoninstallations'),
  policy: kind(POLICY, 'Policy', 'policies', false),
  policyWaiver: kind(POLICY, 'PolicyWaiver', 'policywaivers'),
  policyImpactReview: kind(POLICY, 'PolicyImpactReview', 'policyimpactreviews', false),
  policyReport: { ...kind(REPORTS, 'PolicyReport', 'policyreports'), version: 'v1alpha2' },
  component: kind(LIFECYCLE, 'Component', 'components', false),
  auditEvent: kind(LIFECYCLE, 'AuditEvent', 'auditevents'),
} as const;

/** Where Events are. */
export const EVENTS: ApiKind = { group: '', version: 'v1', kind: 'Event', plural: 'events', namespaced: true };

/** Path of a collection; of all Projects without `namespace`. */
export function collectionPath(of: ApiKind, namespace?: string): string {
  const base = of.group === '' ? `/api/${of.version}` : `/apis/${of.group}/${of.version}`;
  return of.namespaced && namespace !== undefined
    ? `${base}/namespaces/${encodeURIComponent(namespace)}/${of.plural}`
    : `${base}/${of.plural}`;
}

/** Path of one object, or of its subresource. */
export function objectPath(of: ApiKind, name: string, namespace?: string, subresource?: string): string {
  const path = `${collectionPath(of, namespace)}/${encodeURIComponent(name)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}

function kind(group: string, name: string, plural: string, namespaced = true): ApiKind {
  return { group, version: 'v1alpha1', kind: name, plural, namespaced };
}
