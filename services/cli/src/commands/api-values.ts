import type { ExportFormat, FleetSort, KindDefinition, NotificationState } from '@crate/api';

/**
 * What options, help and the lightest commands need to know of the API. `@crate/api` says the same, but brings the schema of every
 * kind along, which no help and no completion waits for; `api-values.spec.ts` holds the two together.
 */
export const FLEET_SORTS = [
  'attention',
  'name',
  'project',
  'age',
  'version',
  'nodes',
  'cost',
] as const satisfies readonly FleetSort[];

/** How many rows of the fleet are shown. */
export const FLEET_LIMIT = { most: 500, standard: 100 } as const;

/** For how long a kubeconfig may be good. */
export const KUBECONFIG_SECONDS = { least: 600, default: 86_400, most: 365 * 86_400 } as const;

/** How a notification may stand. */
export const NOTIFICATION_STATES = [
  'Pending',
  'Delivered',
  'Failed',
  'Dropped',
] as const satisfies readonly NotificationState[];

/** What kinds of documents policies are for. */
export const POLICY_STAGES = ['ClusterSpec', 'TerraformPlan', 'EngineConfig', 'Manifest'] as const;

/** As what a policy report can be had. */
export const EXPORT_FORMATS = ['csv', 'json', 'sarif', 'html', 'pdf'] as const satisfies readonly ExportFormat[];

/** Where the platform tells how it is. */
export const PLATFORM_STATUS_PATH = '/platform/status';

/** What a kind is called, and where its objects are. */
export type NamedKind = Pick<KindDefinition, 'group' | 'version' | 'kind' | 'plural' | 'singular' | 'shortNames'>;

/** Kinds that runs are made for; the first is meant where none is said. */
export const WORKED_KINDS = [
  named('lifecycle.crate.dev', 'Cluster', 'clusters', 'cl'),
  named('cloud.crate.dev', 'Infrastructure', 'infrastructures', 'infra'),
  named('cluster.crate.dev', 'KubernetesCluster', 'kubernetesclusters', 'kc'),
] as const;

function named(group: string, kind: string, plural: string, shortName: string): NamedKind {
  return { group, version: 'v1alpha1', kind, plural, singular: kind.toLowerCase(), shortNames: [shortName] };
}
