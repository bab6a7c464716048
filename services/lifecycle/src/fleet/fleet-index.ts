import type { Cluster } from '@crate/api';
import { PlatformError } from '@crate/errors';
import { readPrices, type PriceList } from '@crate/pricing';
import { entryLater, entryOf, entryWithPlan, FleetLabels, type AccountPlace, type FleetEntry } from './fleet-entry.js';
import type { OpenPlan } from './finding.js';
import { compareBy, type FleetOrder } from './fleet-order.js';
import { FleetOrders } from './fleet-orders.js';

/** What is shown may be older than the store by no more than this: a list of what was true long ago misleads. */
const OLDEST_MS = 30_000;
const RETRY_AFTER_MS = 1_000;

export interface FleetIndexOptions {
  /** Default: those that ship with this release. */
  readonly prices?: PriceList;
  /** Milliseconds since 1970. Default: the clock of the system. */
  readonly now?: () => number;
  /** Milliseconds that only ever go on. Default: those of this process. */
  readonly uptime?: () => number;
}

/**
 * Every cluster in a few hundred bytes, ready to be searched, counted and sorted without asking the database. Fed from outside; what it
 * holds is what it was told, and it answers only while whoever feeds it can prove that this is what is stored.
 */
export class FleetIndex {
  readonly labels = new FleetLabels();
  readonly prices: PriceList;
  readonly now: () => number;
  readonly uptime: () => number;
  /** As the clusters themselves have it, by `Project/name`. */
  private readonly own = new Map<string, FleetEntry>();
  /** With what is known from elsewhere. */
  private readonly shown = new Map<string, FleetEntry>();
  private readonly accounts = new Map<string, AccountPlace>();
  /** By cluster, then by name. */
  private readonly plans = new Map<string, Map<string, OpenPlan>>();
  private readonly orders: FleetOrders;
  private readonly listeners = new Set<() => void>();
  private reached = '0';
  private changes = 0;
  private provenAt = -Infinity;

  constructor({ prices = readPrices(), now = Date.now, uptime = uptimeMs }: FleetIndexOptions = {}) {
    this.prices = prices;
    this.now = now;
    this.uptime = uptime;
    this.orders = new FleetOrders(() => this.shown.values(), compareBy(this.labels));
  }

  get size(): number {
    return this.shown.size;
  }

  /** Moves with everything that an answer may show. */
  get version(): number {
    return this.changes;
  }

  /** Revision of the store that the entries are of. */
  get revision(): string {
    return this.reached;
  }

  /** Whether it may answer. */
  get isKnown(): boolean {
    return this.uptime() - this.provenAt <= OLDEST_MS;
  }

  /** Throws Unavailable while too little is known. */
  requireKnown(): void {
    if (this.isKnown) return;
    const details = { retryAfterMs: RETRY_AFTER_MS };
    throw new PlatformError('Unavailable', 'The fleet is being read, try again', { details });
  }

  /** Everything up to this revision is in, and there was no more at this time, by `uptime`. */
  confirm(revision: string, atMs: number): void {
    this.reached = revision;
    this.provenAt = Math.max(this.provenAt, atMs);
  }

  /** All entries in an order. */
  in(order: FleetOrder): readonly FleetEntry[] {
    return this.orders.in(order);
  }

  put(cluster: Cluster): void {
    const { labels, prices } = this;
    const key = keyOf(cluster);
    const account = this.place(cluster.metadata.namespace ?? '', cluster.spec.accountRef?.name ?? '');
    const before = this.own.get(key);
    const entry = entryOf(cluster, { labels, prices, account, before });
    if (!before) labels.project.hold(entry.project);
    this.own.set(key, entry);
    this.show(key);
  }

  remove(cluster: Pick<Cluster, 'metadata'>): void {
    const key = keyOf(cluster);
    // One of the same name may have come since.
    if (this.own.get(key)?.uid === cluster.metadata.uid) this.drop(key);
  }

  /** Forgets all clusters but these, given as `Project/name`. */
  keepOnly(keys: ReadonlySet<string>): void {
    for (const key of this.own.keys()) if (!keys.has(key)) this.drop(key);
  }

  /** A plan waits for approval. */
  openPlan(cluster: string, plan: OpenPlan): void {
    const plans = this.plans.get(cluster) ?? new Map<string, OpenPlan>();
    this.plans.set(cluster, plans.set(plan.name, plan));
    this.show(cluster);
  }

  /** It waits no more. */
  closePlan(cluster: string, name: string): void {
    const plans = this.plans.get(cluster);
    if (!plans?.delete(name)) return;
    if (plans.size === 0) this.plans.delete(cluster);
    this.show(cluster);
  }

  /** Forgets all plans. */
  closeAllPlans(): void {
    const clusters = [...this.plans.keys()];
    this.plans.clear();
    for (const cluster of clusters) this.show(cluster);
  }

  /** At which cloud an account is. */
  setProvider(project: string, account: string, provider: string): void {
    const place = this.place(project, account);
    const number = this.labels.provider.numberOf(provider);
    if (place.provider === number) return;
    place.provider = number;
    this.changed();
  }

  /** The account is gone. */
  forgetAccount(project: string, account: string): void {
    const place = this.place(project, account);
    this.setProvider(project, account, '');
    // Clusters that name it share the place with one of the same name that may come.
    const isNamed = [...this.own.values()].some((entry) => entry.account === place);
    if (!isNamed) this.accounts.delete(`${project}/${account}`);
  }

  /** Lets time pass: what has stood for too long is said so. */
  advance(): void {
    const nowMs = this.now();
    for (const [key, entry] of this.own) {
      if (!entry.later || entry.later.atMs > nowMs) continue;
      this.own.set(key, entryLater(entry, entry.later));
      this.show(key);
    }
  }

  /** Calls the listener after every change; returns a function that stops it. */
  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private show(key: string): void {
    const own = this.own.get(key);
    if (!own) return;
    const plan = oldestOf(this.plans.get(key));
    const entry = plan ? entryWithPlan(own, plan) : own;
    this.orders.replaced(this.shown.get(key), entry);
    this.shown.set(key, entry);
    this.changed();
  }

  private drop(key: string): void {
    const own = this.own.get(key);
    if (!own) return;
    this.orders.replaced(this.shown.get(key), undefined);
    this.labels.project.release(own.project);
    this.own.delete(key);
    this.shown.delete(key);
    this.changed();
  }

  private place(project: string, account: string): AccountPlace {
    const key = `${project}/${account}`;
    const known = this.accounts.get(key) ?? { provider: this.labels.provider.numberOf('') };
    this.accounts.set(key, known);
    return known;
  }

  private changed(): void {
    this.changes += 1;
    for (const listener of this.listeners) listener();
  }
}

/** How the index knows a cluster. */
export function keyOf({ metadata }: Pick<Cluster, 'metadata'>): string {
  return `${metadata.namespace ?? ''}/${metadata.name}`;
}

function uptimeMs(): number {
  return performance.now();
}

function oldestOf(plans: ReadonlyMap<string, OpenPlan> | undefined): OpenPlan | undefined {
  return plans && [...plans.values()].sort((left, right) => left.since.localeCompare(right.since))[0];
}
