import { EVENT, type EventObject } from '@crate/api';
import { hasCode } from '@crate/errors';
import { EVENT_COLLECTION } from '@crate/events';
import type { TypedClient } from '@crate/resource-client';
import type { ResourceStore } from '@crate/resource-store';
import { followForeignKind } from '@crate/service-host';
import type { Logger } from '@crate/telemetry';
import { gathered } from './gathered-event.js';
import type { ProjectBirths } from './project-births.js';

export interface EventGathererOptions {
  /** Events of every other service. */
  readonly sources: readonly TypedClient<EventObject>[];
  /** Where they are kept for people to read. */
  readonly store: ResourceStore;
  readonly projects: ProjectBirths;
  /** What happened longer ago is not worth keeping. */
  readonly keepMs: number;
  readonly logger: Logger;
  readonly now?: () => Date;
}

/**
 * Brings what the other services tell to where people read it. Copies have names that follow from what they are copies of, so
 * seeing an event again, after an outage or in two replicas, changes nothing.
 */
export class EventGatherer {
  private readonly stopping = new AbortController();
  private following: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: EventGathererOptions) {}

  start(): void {
    const { sources, logger } = this.options;
    const { signal } = this.stopping;
    this.following = Promise.all(
      sources.map((client) =>
        followForeignKind({
          kind: EVENT,
          client,
          logger,
          signal,
          // How long a copy is kept is decided here.
          onObject: (object, type) => (type === 'DELETED' ? Promise.resolve() : this.gather(object as EventObject)),
        }),
      ),
    );
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.following;
  }

  /** Keeps the event, and what it says about a Cluster. Idempotent. */
  async gather(event: EventObject): Promise<void> {
    if (!(await this.isWanted(event))) return;
    try {
      await Promise.all(gathered(event).map((copy) => this.keep(copy)));
    } catch (error) {
      // Told again it would be no better, and the events behind it would wait for ever.
      if (!hasCode(error, 'BadRequest', 'InvalidSpec')) throw error;
      this.options.logger.warn('Dropping an event that cannot be stored', { error, reason: event.reason });
    }
  }

  /** Of a Project that was there when it happened: not of an earlier one of the same name. */
  private async isWanted({ metadata, lastTimestamp }: EventObject): Promise<boolean> {
    const { keepMs, projects, now = () => new Date() } = this.options;
    const happenedAt = Date.parse(lastTimestamp ?? metadata.creationTimestamp);
    if (happenedAt < now().getTime() - keepMs) return false;
    const bornAt = await projects.of(metadata.namespace ?? '');
    return bornAt !== undefined && happenedAt >= bornAt;
  }

  private async keep(copy: EventObject): Promise<void> {
    const { store } = this.options;
    const { name, namespace = '' } = copy.metadata;
    const stored = await store.find({ ...EVENT_COLLECTION, namespace, name });
    if (!stored) return this.create(copy);
    const { uid } = stored.metadata;
    // Unchanged, it is not written: that is the store's promise.
    await store.update({ ...copy, metadata: { ...copy.metadata, uid } });
  }

  private async create(copy: EventObject): Promise<void> {
    try {
      await this.options.store.create(copy);
    } catch (error) {
      // Another replica was first.
      if (!hasCode(error, 'AlreadyExists')) throw error;
    }
  }
}
