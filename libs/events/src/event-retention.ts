import type { Database } from '@crate/database';
import { hasCode } from '@crate/errors';
import type { ResourceStore } from '@crate/resource-store';
import type { Logger } from '@crate/telemetry';
import { EVENT_COLLECTION } from './event-object.js';

export interface EventRetentionOptions {
  /** Of the schema that holds the events. */
  readonly database: Database;
  readonly store: ResourceStore;
  readonly logger: Logger;
  /** An event is kept for so long after it happened last. */
  readonly keepMs: number;
  /** More events of one namespace than this are not kept: the oldest go first. */
  readonly mostPerNamespace: number;
  /** Default 60,000. */
  readonly everyMs?: number;
  /** Default: the system's clock. */
  readonly now?: () => Date;
}

interface Row {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

const EVERY_MS = 60_000;
const BATCH = 200;

const EXPIRED = `SELECT namespace, name, uid FROM resources
  WHERE object ->> 'lastTimestamp' COLLATE "C" < $1 ORDER BY object ->> 'lastTimestamp' COLLATE "C" LIMIT ${BATCH}`;
const CROWDED = `SELECT namespace, count(*)::int AS count FROM resources GROUP BY namespace HAVING count(*) > $1`;
const OLDEST = `SELECT namespace, name, uid FROM resources WHERE namespace = $1
  ORDER BY object ->> 'lastTimestamp' COLLATE "C" LIMIT $2`;
const BEFORE = `SELECT namespace, name, uid FROM resources WHERE namespace = $1
  AND object ->> 'lastTimestamp' COLLATE "C" < $2 LIMIT ${BATCH}`;
const NAMESPACES = `SELECT DISTINCT namespace FROM resources ORDER BY namespace`;

/** Takes away events that are too old or too many, a few at a time. Knows nothing of its own, so it may be killed anywhere. */
export class EventRetention {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private readonly stopping = new AbortController();

  constructor(private readonly options: EventRetentionOptions) {}

  start(): void {
    this.timer = setInterval(() => {
      this.running = this.running.then(() => this.cleanQuietly());
    }, this.options.everyMs ?? EVERY_MS).unref();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    clearInterval(this.timer);
    await this.running;
  }

  /** One round. Idempotent; replicas may do it at the same time. Gives how many went. */
  async clean(): Promise<number> {
    return (await this.removeExpired()) + (await this.removeSurplus());
  }

  /** Takes away everything that was told in a namespace, or what happened last before a moment. Gives how many went. */
  async removeNamespace(namespace: string, before?: Date): Promise<number> {
    const { database } = this.options;
    if (before) return this.removeAll(() => database.rows<Row>(BEFORE, [namespace, before.toISOString()]));
    return this.removeAll(() => database.rows<Row>(OLDEST, [namespace, BATCH]));
  }

  /** Namespaces that hold events. */
  async namespaces(): Promise<readonly string[]> {
    return (await this.options.database.rows<Row>(NAMESPACES, [])).map(({ namespace }) => namespace);
  }

  private removeExpired(): Promise<number> {
    const { database, keepMs } = this.options;
    const before = new Date(this.now().getTime() - keepMs).toISOString();
    return this.removeAll(() => database.rows<Row>(EXPIRED, [before]));
  }

  private async removeSurplus(): Promise<number> {
    const { database, mostPerNamespace } = this.options;
    const crowded = await database.rows<{ namespace: string; count: number }>(CROWDED, [mostPerNamespace]);
    let removed = 0;
    for (const { namespace, count } of crowded) {
      let surplus = count - mostPerNamespace;
      removed += await this.removeAll(async () => {
        const most = Math.min(surplus, BATCH);
        surplus -= most;
        return most > 0 ? database.rows<Row>(OLDEST, [namespace, most]) : [];
      });
    }
    return removed;
  }

  private async removeAll(next: () => Promise<readonly Row[]>): Promise<number> {
    for (let removed = 0; ;) {
      const rows = this.stopping.signal.aborted ? [] : await next();
      if (rows.length === 0) return removed;
      await Promise.all(rows.map((row) => this.remove(row)));
      removed += rows.length;
    }
  }

  private async remove({ namespace, name, uid }: Row): Promise<void> {
    try {
      await this.options.store.remove({ ...EVENT_COLLECTION, namespace, name }, { uid });
    } catch (error) {
      // Another replica was first.
      if (!hasCode(error, 'NotFound', 'Conflict')) throw error;
    }
  }

  private async cleanQuietly(): Promise<void> {
    try {
      await this.clean();
    } catch (error) {
      this.options.logger.warn('Removing old events failed, trying again later', { error });
    }
  }

  private now(): Date {
    return this.options.now?.() ?? new Date();
  }
}
