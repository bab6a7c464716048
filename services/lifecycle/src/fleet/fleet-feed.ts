import { CLOUD_ACCOUNT, CLUSTER, findCondition, PLAN, type CloudAccount, type Cluster, type Plan } from '@crate/api';
import type { TypedClient } from '@crate/resource-client';
import type { ResourceStore } from '@crate/resource-store';
import { followForeignKind } from '@crate/service-host';
import type { Logger } from '@crate/telemetry';
import { factsOf, phaseOf } from '../plan/plan-facts.js';
import { CollectionFollower, type CollectionSink } from './collection-follower.js';
import type { OpenPlan } from './finding.js';
import { keyOf, type FleetIndex } from './fleet-index.js';

/** How late it may be said that something has stood for too long. */
const ADVANCE_MS = 30_000;

export interface FleetFeedOptions {
  readonly index: FleetIndex;
  readonly store: Pick<ResourceStore, 'list' | 'watch' | 'currentRevision' | 'notify'>;
  /** Absent: there are none. */
  readonly accounts?: Pick<TypedClient<CloudAccount>, 'watch'>;
  readonly logger: Logger;
  /** Default: 2,000. */
  readonly pulseMs?: number;
}

/** Keeps the index at what is stored: clusters and plans of this service, and where accounts are. */
export class FleetFeed {
  private readonly followers: readonly CollectionFollower[];
  private readonly stopping = new AbortController();
  private accounts: Promise<void> = Promise.resolve();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: FleetFeedOptions) {
    const { index, store, logger, pulseMs } = options;
    const pulse = pulseMs === undefined ? {} : { pulseMs };
    const common = { store, logger, uptime: index.uptime, ...pulse };
    this.followers = [
      new CollectionFollower({ kind: CLUSTER, sink: new ClusterSink(index), ...common }),
      new CollectionFollower({ kind: PLAN, sink: new PlanSink(index), ...common }),
    ];
  }

  /** Goes on until `stop`; nobody waits for accounts, whose owner may be away. */
  start(): void {
    const { index, accounts } = this.options;
    for (const follower of this.followers) follower.start();
    if (accounts) this.accounts = this.followAccounts(accounts);
    this.timer = setInterval(() => index.advance(), ADVANCE_MS).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.stopping.abort();
    await Promise.all([this.accounts, ...this.followers.map((follower) => follower.stop())]);
  }

  private followAccounts(accounts: Pick<TypedClient<CloudAccount>, 'watch'>): Promise<void> {
    const { index, logger } = this.options;
    return followForeignKind({
      kind: CLOUD_ACCOUNT,
      client: accounts as TypedClient<CloudAccount>,
      logger,
      signal: this.stopping.signal,
      onObject: async (object, type) => {
        const { metadata, spec } = object as CloudAccount;
        const project = metadata.namespace ?? '';
        if (type === 'DELETED') index.forgetAccount(project, metadata.name);
        else index.setProvider(project, metadata.name, spec.provider);
        return Promise.resolve();
      },
    });
  }
}

class ClusterSink implements CollectionSink {
  private told = new Set<string>();

  constructor(private readonly index: FleetIndex) {}

  begin(): void {
    this.told = new Set();
  }

  take(object: Cluster): void {
    this.told.add(keyOf(object));
    this.index.put(object);
  }

  end(): void {
    this.index.keepOnly(this.told);
    this.told = new Set();
  }

  change(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: Cluster): void {
    if (type === 'DELETED') this.index.remove(object);
    else this.index.put(object);
  }

  reached(revision: string, provenAtMs: number | undefined): void {
    this.index.confirm(revision, provenAtMs ?? -Infinity);
  }
}

class PlanSink implements CollectionSink {
  constructor(private readonly index: FleetIndex) {}

  begin(): void {
    this.index.closeAllPlans();
  }

  take(object: Plan): void {
    const cluster = `${object.metadata.namespace ?? ''}/${object.spec.clusterRef.name}`;
    const isOpen = phaseOf(factsOf(object)) === 'Ready' && object.metadata.deletionTimestamp === undefined;
    if (isOpen) this.index.openPlan(cluster, openPlanOf(object));
    else this.index.closePlan(cluster, object.metadata.name);
  }

  end(): void {
    // Those that are gone went with the beginning.
  }

  change(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: Plan): void {
    if (type !== 'DELETED') return this.take(object);
    this.index.closePlan(`${object.metadata.namespace ?? ''}/${object.spec.clusterRef.name}`, object.metadata.name);
  }

  reached(): void {
    // The index answers for clusters; a plan that is late makes no row wrong for long.
  }
}

function openPlanOf({ metadata, status }: Plan): OpenPlan {
  const { name, namespace = '', creationTimestamp } = metadata;
  const since = findCondition(status?.conditions, 'Approved')?.lastTransitionTime ?? creationTimestamp;
  return { name, namespace, summary: status?.summary ?? '', since };
}
