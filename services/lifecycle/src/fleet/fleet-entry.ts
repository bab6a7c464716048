import {
  findCondition,
  FLEET_HEALTHS,
  isExisting,
  type Cluster,
  type FleetCause,
  type FleetHealth,
  type FleetProgress,
} from '@crate/api';
import { monthlyCost, type PriceList } from '@crate/pricing';
import { machineGroups } from '../cluster/cluster.nodes.js';
import { awaitedSince, wasNeverReady } from '../cluster/journey-metrics.js';
import { billOf } from '../plan/consequences/cost-change.js';
import { rankOf, type Standing } from './attention.js';
import { planFinding } from './decision-findings.js';
import type { OpenPlan } from './finding.js';
import { healthOfCluster } from './health-of-cluster.js';
import { Labels } from './labels.js';
import { wanted } from '../add-on/add-on.choice.js';

/** The words of all rows. */
export class FleetLabels {
  readonly project = new Labels();
  readonly region = new Labels();
  readonly version = new Labels();
  readonly engine = new Labels();
  readonly provider = new Labels();
  readonly class = new Labels();
  /** All conditions of a cluster in one word: there are few that differ. */
  readonly conditions = new Labels();
}

/** Where an account is; shared by all clusters of the account. */
export interface AccountPlace {
  /** Number of the label; that of the empty word while nobody knows. */
  provider: number;
}

/**
 * One cluster as the index keeps it: what a row is made of, without the object it came from. Never changed: what becomes of the
 * cluster is another entry.
 */
export interface FleetEntry {
  readonly uid: string;
  readonly name: string;
  readonly generation: number;
  /** Numbers of labels. */
  readonly project: number;
  readonly region: number;
  readonly version: number;
  readonly engine: number;
  /** -1: none. */
  readonly class: number;
  readonly conditions: number;
  readonly account: AccountPlace;
  /** Place among FLEET_HEALTHS. */
  readonly health: number;
  readonly rank: number;
  readonly cause: FleetCause | undefined;
  /** Seconds since 1970; of a cluster without a cause its birth. */
  readonly since: number;
  readonly later: (Standing & { readonly atMs: number }) | undefined;
  readonly phase: string | undefined;
  readonly progress: FleetProgress | undefined;
  readonly nodesReady: number;
  readonly nodesWanted: number;
  readonly addOnsReady: number;
  readonly addOnsWanted: number;
  /** Cents a month; -1: not known. */
  readonly cost: number;
  /** -1: not judged yet. */
  readonly policyFail: number;
  readonly policyWarn: number;
  readonly drifted: boolean;
  /** Seconds since 1970. */
  readonly createdAt: number;
  readonly deletingSince: number | undefined;
  /** Of one that was never Ready, and is neither paused nor on its way out. Seconds since 1970. */
  readonly awaitedSince: number | undefined;
}

export interface EntryContext {
  readonly labels: FleetLabels;
  readonly prices: PriceList;
  readonly account: AccountPlace;
  /** The same cluster as it was: what only the spec decides is taken from there. */
  readonly before?: FleetEntry | undefined;
}

/** What the index keeps of a cluster. Pure, but for new labels. */
export function entryOf(cluster: Cluster, context: EntryContext): FleetEntry {
  const { metadata, spec, status } = cluster;
  const { labels, account } = context;
  const { health, concern, cause, later } = healthOfCluster(cluster);
  const createdAt = secondsOf(metadata.creationTimestamp);
  return {
    uid: metadata.uid,
    name: metadata.name,
    generation: metadata.generation,
    project: labels.project.numberOf(metadata.namespace ?? ''),
    region: labels.region.numberOf(spec.region ?? ''),
    version: labels.version.numberOf(versionOf(cluster)),
    engine: labels.engine.numberOf(spec.kubernetes.engine),
    class: spec.classRef ? labels.class.numberOf(spec.classRef.name) : -1,
    conditions: labels.conditions.numberOf(conditionsText(cluster)),
    account,
    health: FLEET_HEALTHS.indexOf(health),
    rank: rankOf(concern),
    cause,
    since: cause ? secondsOf(cause.since) : createdAt,
    later,
    ...journeyOf(cluster, health),
    ...countsOf(cluster),
    cost: costOf(cluster, context),
    drifted: findCondition(status?.conditions, 'InSync')?.status === 'False',
    createdAt,
    deletingSince: metadata.deletionTimestamp === undefined ? undefined : secondsOf(metadata.deletionTimestamp),
    awaitedSince: isAwaited(cluster) ? secondsOf(awaitedSince(cluster)) : undefined,
  };
}

function isAwaited(cluster: Cluster): boolean {
  const { metadata, spec } = cluster;
  return metadata.deletionTimestamp === undefined && !spec.paused && wasNeverReady(cluster);
}

/** The one that runs, or is to run; nothing is known of that of an existing cluster until somebody looked. */
function versionOf({ spec, status }: Cluster): string {
  return status?.version ?? spec.kubernetes.version ?? '';
}

function conditionsText({ status }: Cluster): string {
  return (status?.conditions ?? []).map(({ type, status: said }) => `${type}=${said}`).join(' ');
}

/** The same, once it has stood for too long. */
export function entryLater(entry: FleetEntry, { health, concern }: Standing): FleetEntry {
  return { ...entry, health: FLEET_HEALTHS.indexOf(health), rank: rankOf(concern), later: undefined };
}

/** The same with a plan that waits for approval, where nothing more pressing is to be said of it. */
export function entryWithPlan(entry: FleetEntry, plan: OpenPlan): FleetEntry {
  const { health, concern, cause } = planFinding(plan);
  const rank = rankOf(concern);
  if (rank <= entry.rank || entry.deletingSince !== undefined) return entry;
  return { ...entry, health: FLEET_HEALTHS.indexOf(health), rank, cause, since: secondsOf(cause.since) };
}

function journeyOf({ status }: Cluster, health: FleetHealth): Pick<FleetEntry, 'phase' | 'progress'> {
  const isDone = health === 'Healthy' || !status?.progress;
  const { step, steps, message } = status?.progress ?? { step: 0, steps: 0, message: '' };
  return {
    phase: status?.phases?.find(({ state }) => state !== 'Done')?.name,
    progress: isDone ? undefined : { step, steps, message },
  };
}

type Counts = 'nodesReady' | 'nodesWanted' | 'addOnsReady' | 'addOnsWanted' | 'policyFail' | 'policyWarn';

function countsOf({ spec, status }: Cluster): Pick<FleetEntry, Counts> {
  const addOns = status?.addOns ?? [];
  return {
    nodesReady: status?.nodes?.ready ?? 0,
    nodesWanted: wantedNodes(spec, status),
    addOnsReady: addOns.filter(({ ready }) => ready).length,
    addOnsWanted: Math.max(addOns.length, wanted(spec.addOns).length),
    ...findingsOf(status),
  };
}

/** As asked for; of a cluster that others make, as many as there are. */
function wantedNodes(spec: Cluster['spec'], status: Cluster['status']): number {
  if (isExisting({ spec })) return status?.nodes?.desired ?? 0;
  return machineGroups(spec).reduce((sum, { replicas }) => sum + replicas, 0);
}

function findingsOf(status: Cluster['status']): Pick<FleetEntry, 'policyFail' | 'policyWarn'> {
  const { fail, warn } = status?.policy ?? { fail: -1, warn: -1 };
  const isDenied = findCondition(status?.conditions, 'PolicyCompliant')?.status === 'False';
  if (!isDenied) return { policyFail: fail, policyWarn: warn };
  // A part may break a rule that the spec does not.
  return { policyFail: Math.max(fail, 1), policyWarn: Math.max(warn, 0) };
}

function costOf({ metadata, spec }: Cluster, { prices, before }: EntryContext): number {
  if (before?.generation === metadata.generation) return before.cost;
  const { amount, unknown } = monthlyCost(prices, spec.region ?? '', billOf(spec));
  return amount === 0 && unknown.length > 0 ? -1 : Math.round(amount * 100);
}

/** A time of the API, which has whole seconds. */
function secondsOf(timestamp: string): number {
  return Math.floor(Date.parse(timestamp) / 1000);
}
