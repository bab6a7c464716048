import { EVENT } from '@crate/api';
import { Database, migrate } from '@crate/database';
import type { EventRecorder } from '@crate/reconcile';
import type { ResourceApi } from '@crate/resource-client';
import { KindRegistry, LocalResourceApi } from '@crate/resource-server';
import { PostgresResourceStore, resourceStoreMigrations } from '@crate/resource-store';
import type { Logger, Metrics } from '@crate/telemetry';
import type { Reporter } from './event-object.js';
import { EventRetention } from './event-retention.js';
import { EVENTS_MIGRATIONS } from './migrations.js';
import { StoredEventRecorder } from './stored-event-recorder.js';

export interface EventStreamOptions {
  readonly reporter: Reporter;
  readonly url: string;
  /** Schema of the service; events have one of their own beside it. */
  readonly schema: string;
  /** An event is kept for so long after it happened last. */
  readonly keepMs: number;
  /** The oldest go first. */
  readonly mostPerNamespace: number;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Enough for a burst of writes and a reader; events must not take connections from work. */
const CONNECTIONS = 3;
/** Far more than are told while a reader is away for a moment; it reads anew after that. */
const HISTORY = 20_000;

/**
 * What a service tells people, in a store of its own: its revisions, its change log and its readers are apart from those of the
 * service's resources, so that telling wakes no reconciler and makes no write of a resource wait.
 */
export class EventStream {
  readonly store: PostgresResourceStore;
  /** Reads and writes events of this service. */
  readonly api: ResourceApi;
  readonly retention: EventRetention;
  private readonly stored: StoredEventRecorder;

  private constructor(
    private readonly database: Database,
    options: EventStreamOptions,
  ) {
    this.store = new PostgresResourceStore({ database, history: HISTORY });
    this.api = new LocalResourceApi({ store: this.store, kinds: new KindRegistry([{ definition: EVENT }]) });
    this.retention = new EventRetention({ ...options, database, store: this.store });
    this.stored = new StoredEventRecorder({ ...options, store: this.store });
  }

  get recorder(): EventRecorder {
    return this.stored;
  }

  /** Safe with any number of replicas starting at once. */
  static async open(options: EventStreamOptions): Promise<EventStream> {
    const { url, reporter, logger } = options;
    const schema = `${options.schema}_events`;
    await migrate({
      url,
      schema,
      directories: [resourceStoreMigrations, EVENTS_MIGRATIONS],
      onLocked: (migration, why) => logger.warn('A migration waits for a lock', { schema, migration, why }),
    });
    const applicationName = `${reporter.component}-events`;
    const database = new Database({ url, schema, applicationName, maxConnections: CONNECTIONS });
    const stream = new EventStream(database, options);
    stream.retention.start();
    return stream;
  }

  /** Writes what is pending and ends; idempotent. */
  async close(): Promise<void> {
    await this.stored.close();
    await this.retention.stop();
    await this.store.close();
    await this.database.close();
  }
}
