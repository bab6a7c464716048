import type { ServerResponse } from 'node:http';
import type { Cluster, FleetPage, FleetRow } from '@crate/api';

/** What is asked for, as the service reads it. */
export interface Query {
  readonly key: string;
  readonly order: string;
  readonly offset: number;
  readonly limit: number;
}

/** What is kept of one cluster. */
export interface Entry {
  readonly health: number;
  readonly project: number;
  readonly name: string;
}

/** The index of the service. */
export interface Index {
  readonly labels: { readonly project: { wordOf(number: number): string } };
  readonly prices: { readonly currency: string };
  readonly size: number;
  readonly uptime: () => number;
  put(cluster: Cluster): void;
  confirm(revision: string, atMs: number): void;
}

export interface Stream {
  readonly response: ServerResponse;
  readonly signal: AbortSignal;
  readonly index: Index;
  readonly pages: object;
  readonly query: Query;
  readonly visible: () => Promise<{ readonly key: string }>;
  readonly onError: (error: unknown) => void;
}

/** The parts of lifecycle that make up the fleet. */
export interface LifecycleFleet {
  readonly FleetIndex: new () => Index;
  readonly FleetPages: new (index: Index) => object;
  readonly fleetPage: (index: Index, query: Query, visible: { readonly key: string }) => FleetPage;
  readonly parseFleetQuery: (parameters: URLSearchParams) => Query;
  readonly streamFleet: (stream: Stream) => Promise<void>;
  readonly entryOf: (cluster: Cluster, context: object) => Entry;
  readonly rowOf: (entry: Entry, context: object) => FleetRow;
  readonly matcherOf: (query: Query, labels: object) => (entry: Entry) => boolean;
  readonly compareBy: (labels: object) => (order: string) => (left: Entry, right: Entry) => number;
}

const FILES = ['index', 'pages', 'page', 'query', 'stream', 'entry', 'row', 'matcher', 'order'];

/** Loads them as they were built: services are run, not imported, and here only what they do in memory is measured. */
export async function loadFleet(): Promise<LifecycleFleet> {
  const folder = new URL('../../../services/lifecycle/dist/fleet/', import.meta.url);
  const modules = await Promise.all(
    FILES.map(async (name) => import(new URL(`fleet-${name}.js`, folder).href) as Promise<object>),
  );
  return Object.assign({}, ...modules) as LifecycleFleet;
}
