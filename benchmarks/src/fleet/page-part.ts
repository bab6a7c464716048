import type { Cluster, FleetPage } from '@crate/api';
import { inRounds, type Taken } from '../policy/rounds.js';
import { collectGarbage } from './heap.js';
import type { Entry, Index, LifecycleFleet, Query } from './lifecycle-fleet.js';
import { clusterAt, manyClusters } from './many-clusters.js';

/** What operators ask: the first page, what fails, some team, text, the end of a long list, another order. */
export const QUESTIONS = [
  ...['', 'health=Failing,Blocked', 'project=team-7,team-11', 'q=machines', 'region=eu-west-1&version=v1.31.4'],
  ...['offset=1000', 'sort=-cost', 'sort=name&q=cluster-1'],
];
const ALL = { key: '*' };
const UPDATES = 20_000;
/** Changes between two pages while clusters change. */
const BATCH = 50;

export interface PageResult {
  readonly clusters: number;
  /** By the index; by the naive way; and by the index with changes before each page. */
  readonly taken: Readonly<Record<'index' | 'naive' | 'changing', Taken>>;
  readonly updatesPerSecond: number;
  readonly bytesPerRow: number;
  readonly bytesPerObject: number;
}

/** Pages of so many clusters, each with what it takes to send it. */
export function measurePages(fleet: LifecycleFleet, clusters: number, runs: number): PageResult {
  const objectsBefore = collectGarbage();
  const objects = manyClusters(clusters);
  const bytesPerObject = (collectGarbage() - objectsBefore) / clusters;
  const queries = QUESTIONS.map((text) => fleet.parseFleetQuery(new URLSearchParams(text)));
  const { index, bytesPerRow } = fill(fleet, clusters);
  requireSame(fleet, index, objects, queries);
  const turns = { index: 0, naive: 0, changing: 0 };
  const next = (of: keyof typeof turns): Query => queries[(turns[of] += 1) % queries.length] as Query;
  let changed = 0;
  const taken = inRounds(
    {
      index: () => JSON.stringify(fleet.fleetPage(index, next('index'), ALL)),
      naive: () => JSON.stringify(naivePage(fleet, index, objects, next('naive'))),
      changing: () => {
        for (let each = 0; each < BATCH; each += 1) index.put(objects[(changed += 7) % clusters] as Cluster);
        return JSON.stringify(fleet.fleetPage(index, next('changing'), ALL));
      },
    },
    { warmUp: QUESTIONS.length * 2, runs },
  );
  return { clusters, taken, updatesPerSecond: updates(index, clusters), bytesPerRow, bytesPerObject };
}

/** Objects come one by one and are let go, as from a database. */
function fill({ FleetIndex }: LifecycleFleet, clusters: number): { index: Index; bytesPerRow: number } {
  const before = collectGarbage();
  const index = new FleetIndex();
  for (let number = 0; number < clusters; number += 1) index.put(clusterAt(number));
  index.confirm('1', Infinity);
  return { index, bytesPerRow: (collectGarbage() - before) / clusters };
}

/** A status that changed, which is what most changes are. */
function updates(index: Index, clusters: number): number {
  const changed = Array.from({ length: 500 }, (_, number) => clusterAt((number * 7) % clusters, 4));
  const begun = performance.now();
  for (let update = 0; update < UPDATES; update += 1) index.put(changed[update % changed.length] as Cluster);
  return (UPDATES * 1000) / (performance.now() - begun);
}

/** Every object is looked at, sorted and counted for every page: what a list and a loop would do. */
function naivePage(
  fleet: LifecycleFleet,
  { labels, prices }: Index,
  objects: readonly Cluster[],
  query: Query,
): unknown {
  const account = { provider: 0 };
  const context = { labels, currency: prices.currency, nowMs: Date.now() };
  const matches = fleet.matcherOf(query, labels);
  const entries = objects
    .map((cluster): Entry => fleet.entryOf(cluster, { labels, prices, account }))
    .filter(matches)
    .sort(fleet.compareBy(labels)(query.order));
  const counts = new Map<string, number>();
  for (const { health, project } of entries) {
    for (const key of [`health ${health}`, `project ${labels.project.wordOf(project)}`]) {
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  const rows = entries.slice(query.offset, query.offset + query.limit).map((entry) => fleet.rowOf(entry, context));
  return { total: objects.length, matching: entries.length, rows, rollup: [...counts] };
}

/** Times of something that finds less would mean nothing. */
function requireSame(
  fleet: LifecycleFleet,
  index: Index,
  objects: readonly Cluster[],
  queries: readonly Query[],
): void {
  for (const query of queries) {
    const ours = fleet.fleetPage(index, query, ALL);
    const naive = naivePage(fleet, index, objects, query) as Pick<FleetPage, 'matching' | 'rows'>;
    const names = ({ rows }: Pick<FleetPage, 'rows'>): string => rows.map(({ name }) => name).join();
    if (ours.matching !== naive.matching || names(ours) !== names(naive)) {
      throw new Error(`The index answers otherwise than the objects to ${query.key}`);
    }
  }
}
