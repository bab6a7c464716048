import { Database, migrate } from '@crate/database';
import type { PostgresServer } from '@crate/testing';
import { LIFECYCLE_MIGRATIONS } from '../../migrations.js';
import type { EndedAttempt, Message, Wanted } from '../outbox.js';
import { PostgresOutbox, type OutboxOptions } from '../postgres-outbox.js';
import { subjectOf, type Telling } from '../telling.js';
import { ALERTS, aTelling } from './a-channel.js';

/** As the work queue's migration has it, which belongs to another library; remembers who was woken. */
const WORK = [
  'CREATE TABLE woken (name text)',
  `CREATE FUNCTION enqueue_work(reconciler text, namespace text, name text) RETURNS void LANGUAGE sql AS
     'INSERT INTO woken VALUES ($1 || '' '' || $2 || '' '' || $3)'`,
];
export const DAY_MS = 86_400_000;
export const DELIVERED: EndedAttempt = { kind: 'Delivered', tookMs: 12, httpStatus: 200 };
export const LATER: EndedAttempt = {
  kind: 'Retry',
  tookMs: 5,
  httpStatus: 503,
  detail: 'The receiver answered 503',
  pauses: { messageMs: 0, channelMs: 0 },
};

/** What a channel wants to tell of an event. */
export function wanted(changes: Partial<Telling> = {}, eventId = 'event-1', channel = ALERTS): Wanted {
  const telling = aTelling(changes);
  return { channel, eventId, subject: subjectOf(telling), telling };
}

/** An outbox in a database of its own, and where it stands in what happens. */
export class OutboxBench {
  private revision = 1;

  private constructor(
    readonly database: Database,
    public outbox: PostgresOutbox,
  ) {}

  static async start(postgres: PostgresServer): Promise<OutboxBench> {
    const { url } = await postgres.createDatabase(withTables);
    const database = new Database({ url, schema: 'lifecycle' });
    const bench = new OutboxBench(database, outboxIn(database));
    await bench.outbox.take(undefined, '1', []);
    return bench;
  }

  /** Goes on with other options. */
  reopen(options: Partial<OutboxOptions> = {}): void {
    this.outbox = outboxIn(this.database, options);
  }

  /** Takes what is wanted at the next revision. */
  async take(...all: Wanted[]): Promise<number | false> {
    const from = String(this.revision);
    this.revision += 1;
    return this.outbox.take(from, String(this.revision), all);
  }

  /** Throws when nothing is due. */
  async begin(uid = ALERTS.uid): Promise<Message> {
    const message = await this.outbox.begin(uid);
    if (!message) throw new Error('Nothing is due');
    return message;
  }

  async stop(): Promise<void> {
    await this.database.close();
  }
}

async function withTables(url: string): Promise<void> {
  await migrate({ url, schema: 'lifecycle', directories: [LIFECYCLE_MIGRATIONS] });
  const database = new Database({ url, schema: 'lifecycle' });
  for (const statement of WORK) await database.rowsOnce(statement);
  await database.close();
}

function outboxIn(database: Database, options: Partial<OutboxOptions> = {}): PostgresOutbox {
  return new PostgresOutbox(database, {
    reconciler: 'notification-channel',
    claimMs: 60_000,
    eventsKeptMs: DAY_MS,
    repeatMs: 0,
    queueLength: 100,
    ...options,
  });
}
