import type { CratePlatform } from '@crate/testing';
import type { CrateUser } from '../crate-user.js';

const NAMESPACE = 'team-a';
const LISTS: readonly (readonly [apiVersion: string, kind: string])[] = [
  ...['Cluster', 'Plan', 'APIKey', 'NodePool', 'NotificationChannel', 'AuditEvent'].map(
    (kind) => ['lifecycle.crate.dev/v1alpha1', kind] as const,
  ),
  ...['CloudAccount', 'Infrastructure', 'StateVersion', 'DeletionRecord'].map(
    (kind) => ['cloud.crate.dev/v1alpha1', kind] as const,
  ),
  ...['KubernetesCluster', 'AddOnInstallation', 'EngineStateVersion'].map(
    (kind) => ['cluster.crate.dev/v1alpha1', kind] as const,
  ),
  ['policy.crate.dev/v1alpha1', 'PolicyWaiver'],
  ['wgpolicyk8s.io/v1alpha2', 'PolicyReport'],
  ['events.k8s.io/v1', 'Event'],
];
/** Of no Project. */
const GLOBAL_LISTS: typeof LISTS = [
  ...['Project', 'ClusterClass', 'AddOn', 'Component'].map((kind) => ['lifecycle.crate.dev/v1alpha1', kind] as const),
  ['policy.crate.dev/v1alpha1', 'Policy'],
];
/** Nothing that hands a secret out on purpose is among them. */
const COMMANDS: readonly (readonly string[])[] = [
  ['logs', 'cluster/demo', '-n', NAMESPACE],
  ['plan', 'cluster/demo', '-n', NAMESPACE],
  ['sweep', 'sandbox', '-n', NAMESPACE, '--dry-run'],
  ['state', 'list', 'demo', '-n', NAMESPACE],
  ['notifications', 'deliveries', 'hook', '-n', NAMESPACE],
  ['notifications', 'deliveries', 'chat', '-n', NAMESPACE],
  ['audit', 'export'],
  ['secrets'],
  ['recovery'],
];

/** What the API, the command line and the metrics say when they are asked for everything. Throws when one of them does not answer. */
export async function everyAnswer(user: CrateUser, platform: CratePlatform): Promise<ReadonlyMap<string, string>> {
  const answers = new Map<string, string>();
  for (const [apiVersion, kind] of LISTS) {
    const { items } = await user.api.list(apiVersion, kind, { namespace: NAMESPACE });
    answers.set(`the API's list of ${kind}`, JSON.stringify(items));
  }
  for (const [apiVersion, kind] of GLOBAL_LISTS) {
    const { items } = await user.api.list(apiVersion, kind);
    answers.set(`the API's list of ${kind}`, JSON.stringify(items));
  }
  for (const command of COMMANDS) answers.set(`output of crate ${command.join(' ')}`, await platform.crate(...command));
  for (const [name, { healthUrl }] of Object.entries(await platform.processes())) {
    if (healthUrl) answers.set(`metrics of ${name}`, await (await fetch(`${healthUrl}/metrics`)).text());
  }
  return answers;
}
