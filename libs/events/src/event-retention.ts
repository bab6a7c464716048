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
}

interface Row {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

const EVERY_MS = 60_000;
/** Rounds from one count of all events to the next: it reads them all, to find hardly ever that there are too many. */
const COUNTED_EVERY = 10;
const BATCH = 200;

/** Exactly as the index has it: without these brackets the collation is one of the word, and all events are read. */
const LAST = `(object ->> 'lastTimestamp') COLLATE "C"`;
/** By the clock that is one for all replicas: a host whose clock is ahead must not take away what the others keep. */
const EXPIRED = `SELECT namespace, name, uid FROM resources
  WHERE ${LAST} <
    to_char((now() - $1 * interval '1 millisecond') AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
  ORDER BY ${LAST} LIMIT ${BATCH}`;
const CROWDED = `SELECT namespace, count(*)::int AS count FROM resources GROUP BY namespace HAVING count(*) > $1`;
const OLDEST = `SELECT namespace, name, uid FROM resources WHERE namespace = $1
  ORDER BY ${LAST} LIMIT $2`;
const BEFORE = `SELECT namespace, name, uid FROM resources WHERE namespace = $1
  AND ${LAST} < $2 LIMIT ${BATCH}`;
const NAMESPACES = `SELECT DISTINCT namespace FROM resources ORDER BY namespace`;

/** Takes away events that are too old or too many, a few at a time. Knows nothing of its own, so it may be killed anywhere. */
export class EventRetention {
  private timer: NodeJS.Timeout | undefined;
  private rounds = 0;
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

  /** Takes away what is too old, and what is too many. Idempotent; replicas may do it at the same time. Gives how many went. */
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
    return this.removeAll(() => database.rows<Row>(EXPIRED, [keepMs]));
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
      await this.removeExpired();
      if (this.rounds++ % COUNTED_EVERY === 0) await this.removeSurplus();
    } catch (error) {
      this.options.logger.warn('Removing old events failed, trying again later', { error });
    }
  }
}
