/**
 * How a cluster stands, in one word, the most pressing that fits:
 * - Failing: something went wrong and the cluster is not as asked for.
 * - Blocked: nothing goes on until a person decides or mends something.
 * - Degraded: it serves, and not everything of it is as it should be.
 * - Progressing: work is under way.
 * - Deleting: it is going away, and nothing is in the way.
 * - Paused: left alone on purpose.
 * - Healthy: as asked for.
 */
export const FLEET_HEALTHS = [
  'Failing',
  'Blocked',
  'Degraded',
  'Progressing',
  'Deleting',
  'Paused',
  'Healthy',
] as const;

/** One for each cluster; `FLEET_HEALTHS` says what each means, and has the most pressing first. */
export type FleetHealth = (typeof FLEET_HEALTHS)[number];

/**
 * What a page may be sorted by, from the least to the most; `-` before it: from the most to the least. `age` has the youngest first.
 * Without a word about it a page is sorted by `-attention`: what needs a person first comes first. Of equals those of the first Project
 * and name in the alphabet come first.
 */
export const FLEET_SORTS = ['attention', 'name', 'project', 'age', 'version', 'nodes', 'cost'] as const;

/** From the least to the most; the `-` for the other way round is not part of it. */
export type FleetSort = (typeof FLEET_SORTS)[number];

/** Where the fleet is served. */
export const FLEET_PATH = '/fleet/clusters';

/** Most rows of one page, and how many one has that asks for no number. */
export const FLEET_LIMIT = { most: 500, standard: 100 } as const;

/** Why a cluster does not stand as it should, in the words of what reports it. */
export interface FleetCause {
  /** Condition that says so, such as InfrastructureReady. */
  readonly condition: string;
  /** Stable reason code, such as QuotaExceeded. */
  readonly reason: string;
  readonly message: string;
  /** Since when, in UTC. */
  readonly since: string;
  /** What to do, when waiting does not help. */
  readonly remedy?: string;
}

/** How far work has come that is under way. */
export interface FleetProgress {
  readonly step: number;
  readonly steps: number;
  readonly message: string;
}

/** How many of so many are ready. */
export interface FleetCount {
  readonly ready: number;
  readonly wanted: number;
}

/** One cluster as whoever runs a fleet reads it first. */
export interface FleetRow {
  readonly uid: string;
  /** The Project. */
  readonly namespace: string;
  readonly name: string;
  readonly health: FleetHealth;
  /** From 0 to 100: the higher, the sooner a person should look. */
  readonly attention: number;
  readonly cause?: FleetCause;
  /** First phase of the journey that is not done. */
  readonly phase?: string;
  readonly progress?: FleetProgress;
  /** Provider of the account, such as `aws`; empty while the account is not known. */
  readonly provider: string;
  readonly region: string;
  /** Kubernetes version that runs; before the first, the one asked for. */
  readonly version: string;
  readonly engine: string;
  /** ClusterClass, when there is one. */
  readonly class?: string;
  readonly nodes: FleetCount;
  readonly addOns: FleetCount;
  /** By list prices; absent when none of it has a known price. */
  readonly monthlyCost?: { readonly amount: number; readonly currency: string };
  /** Rules that the cluster breaks: those that must hold, and those that should. Absent: not judged yet. */
  readonly policy?: { readonly fail: number; readonly warn: number };
  /** The cloud differs from what was applied. */
  readonly drifted: boolean;
  readonly createdAt: string;
  readonly deletingSince?: string;
}

/** Clusters of one Project, region, version or provider. */
export interface FleetGroup {
  readonly key: string;
  readonly total: number;
  readonly health: Readonly<Partial<Record<FleetHealth, number>>>;
}

/** Counts over everything that matches, not only over the page; of groups the largest come first. */
export interface FleetRollup {
  readonly health: Readonly<Record<FleetHealth, number>>;
  readonly byProject: readonly FleetGroup[];
  readonly byRegion: readonly FleetGroup[];
  readonly byVersion: readonly FleetGroup[];
  readonly byProvider: readonly FleetGroup[];
}

/** Part of the fleet, as far as the caller may see it. */
export interface FleetPage {
  readonly kind: 'FleetPage';
  /** Of the clusters that the page was made from. */
  readonly revision: string;
  /** Clusters that the caller may see. */
  readonly total: number;
  /** Of these the ones that match the filters. */
  readonly matching: number;
  readonly offset: number;
  readonly rows: readonly FleetRow[];
  readonly rollup: FleetRollup;
}

/** One line of a watch of the fleet: the page anew, or a sign that the connection stands. */
export type FleetEvent = { readonly type: 'PAGE'; readonly page: FleetPage } | { readonly type: 'BEAT' };
