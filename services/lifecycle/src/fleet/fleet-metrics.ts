import { FLEET_HEALTHS } from '@crate/api';
import type { Gauge, Labels, Metrics } from '@crate/telemetry';
import { rankOf } from './attention.js';
import type { FleetEntry } from './fleet-entry.js';
import type { FleetIndex } from './fleet-index.js';

/** Of deletions alone. */
const STUCK = rankOf('Stuck');

/** Which series a cluster counts in, by what decides that: thousands of clusters have few such keys between them. */
interface Series<K> {
  readonly keyOf: (entry: FleetEntry) => K;
  readonly labelsOf: (key: K, entry: FleetEntry) => readonly Labels[];
}

/**
 * Tells how all clusters stand. Every replica tells the same, and nothing while it does not know. No label has a value for each cluster or
 * Project: of those there are too many.
 */
export function observeFleet(metrics: Metrics, index: FleetIndex): void {
  observeCounts(metrics, index);
  observeAges(metrics, index);
  const nodes: readonly (readonly [string, (entry: FleetEntry) => number])[] = [
    ['ready', (entry) => entry.nodesReady],
    ['wanted', (entry) => entry.nodesWanted],
  ];
  metrics.gauge({
    name: 'crate_cluster_nodes',
    help: 'Nodes of all clusters: those that are ready, and those that are asked for.',
    labels: ['state'],
    collect: whenKnown(index, (gauge, entries) => {
      for (const [state, of] of nodes)
        gauge.set(
          entries.reduce((sum, entry) => sum + of(entry), 0),
          { state },
        );
    }),
  });
  metrics.gauge({
    name: 'crate_clusters_drifted',
    help: 'Clusters whose cloud is not as it was applied.',
    collect: whenKnown(index, (gauge, entries) => gauge.set(entries.filter(({ drifted }) => drifted).length)),
  });
  metrics.gauge({
    name: 'crate_blocked_deletions',
    help: 'Deletions of clusters that something has been in the way of for longer than people should wait.',
    collect: whenKnown(index, (gauge, entries) => gauge.set(entries.filter(({ rank }) => rank === STUCK).length)),
  });
}

function observeCounts(metrics: Metrics, index: FleetIndex): void {
  const { provider, version, conditions } = index.labels;
  const words = { provider, version };
  metrics.gauge({
    name: 'crate_clusters',
    help: 'Clusters by how they stand, in words of the fleet, by provider of their account and by Kubernetes version.',
    labels: ['health', 'provider', 'version'],
    collect: counted(index, {
      keyOf: ({ health, account, version: number }) => `${health} ${account.provider} ${number}`,
      labelsOf: (_key, entry) => [
        {
          health: FLEET_HEALTHS[entry.health] ?? '',
          provider: words.provider.wordOf(entry.account.provider),
          version: words.version.wordOf(entry.version),
        },
      ],
    }),
  });
  metrics.gauge({
    name: 'crate_clusters_in_phase',
    help: 'Clusters under way by the first phase of their journey that is not done.',
    labels: ['phase'],
    collect: counted(index, {
      keyOf: ({ phase }) => phase,
      labelsOf: (phase) => (phase === undefined ? [] : [{ phase }]),
    }),
  });
  metrics.gauge({
    name: 'crate_cluster_conditions',
    help: 'Clusters by condition of their status, and by what that says: True, False or Unknown.',
    labels: ['condition', 'status'],
    collect: counted(index, {
      keyOf: (entry) => entry.conditions,
      labelsOf: (number) => conditionsIn(conditions.wordOf(number)),
    }),
  });
}

function observeAges(metrics: Metrics, index: FleetIndex): void {
  const oldest = (since: (entry: FleetEntry) => number | undefined): ((gauge: Gauge) => void) =>
    whenKnown(index, (gauge, entries) => {
      const nowS = index.now() / 1000;
      const ages = entries.map((entry) => nowS - (since(entry) ?? nowS));
      gauge.set(ages.reduce((most, age) => Math.max(most, age), 0));
    });
  metrics.gauge({
    name: 'crate_cluster_oldest_deletion_age_seconds',
    help: 'How long the deletion under way that began first has taken so far; 0 when none is.',
    collect: oldest(({ deletingSince }) => deletingSince),
  });
  metrics.gauge({
    name: 'crate_cluster_oldest_creation_age_seconds',
    help: 'How long the cluster has been waited for that was asked for first and was never Ready; 0 when there is none.',
    collect: oldest(({ awaitedSince }) => awaitedSince),
  });
}

/** Counts clusters by labels; what was counted once is 0 when nothing is left of it. */
function counted<K>(index: FleetIndex, { keyOf, labelsOf }: Series<K>): (gauge: Gauge) => void {
  const seen = new Map<string, Labels>();
  return whenKnown(index, (gauge, entries) => {
    const counts = new Map<string, number>([...seen.keys()].map((name) => [name, 0]));
    for (const { entry, count } of groupsBy(entries, keyOf)) {
      for (const labels of labelsOf(keyOf(entry), entry)) {
        const name = JSON.stringify(labels);
        seen.set(name, labels);
        counts.set(name, (counts.get(name) ?? 0) + count);
      }
    }
    for (const [name, labels] of seen) gauge.set(counts.get(name) ?? 0, labels);
  });
}

/** One of each that have the same key, and how many they are. */
function groupsBy<K>(
  entries: readonly FleetEntry[],
  keyOf: (entry: FleetEntry) => K,
): Iterable<{ readonly entry: FleetEntry; readonly count: number }> {
  const groups = new Map<K, { readonly entry: FleetEntry; count: number }>();
  for (const entry of entries) {
    const group = groups.get(keyOf(entry));
    if (group) group.count += 1;
    else groups.set(keyOf(entry), { entry, count: 1 });
  }
  return groups.values();
}

function whenKnown(
  index: FleetIndex,
  tell: (gauge: Gauge, entries: readonly FleetEntry[]) => void,
): (gauge: Gauge) => void {
  return (gauge) => {
    if (index.isKnown) tell(gauge, index.in('name'));
  };
}

/** As `conditionsText` has written them. */
function conditionsIn(text: string): readonly Labels[] {
  return text
    .split(' ')
    .filter((part) => part !== '')
    .map((part) => {
      const [condition = '', status = ''] = part.split('=');
      return { condition, status };
    });
}
