import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Database, migrate } from '@crate/database';
import { eventually, startPostgres, type PostgresServer } from '@crate/testing';
import { LIFECYCLE_MIGRATIONS } from '../migrations.js';
import type { EndedAttempt, Message, Wanted } from './outbox.js';
import { PostgresOutbox, type OutboxOptions } from './postgres-outbox.js';
import { subjectOf, type Telling } from './telling.js';
import { ALERTS, aTelling } from './testing/a-channel.js';

/** As the work queue's migration has it, which belongs to another library; remembers who was woken. */
const WORK = [
  'CREATE TABLE woken (name text)',
  `CREATE FUNCTION enqueue_work(reconciler text, namespace text, name text) RETURNS void LANGUAGE sql AS
     'INSERT INTO woken VALUES ($1 || '' '' || $2 || '' '' || $3)'`,
];
const DELIVERED: EndedAttempt = { kind: 'Delivered', tookMs: 12, httpStatus: 200 };
const LATER: EndedAttempt = {
  kind: 'Retry',
  tookMs: 5,
  httpStatus: 503,
  detail: 'The receiver answered 503',
  pauses: { messageMs: 0, channelMs: 0 },
};

let postgres: PostgresServer;
let database: Database;
let outbox: PostgresOutbox;
let revision: number;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(async () => postgres.stop());

beforeEach(async () => {
  const { url } = await postgres.createDatabase();
  await migrate({ url, schema: 'lifecycle', directories: [LIFECYCLE_MIGRATIONS] });
  database = new Database({ url, schema: 'lifecycle' });
  for (const statement of WORK) await database.rowsOnce(statement);
  outbox = open();
  revision = 1;
  await outbox.take(undefined, '1', []);
});
afterEach(async () => database.close());

const DAY_MS = 86_400_000;

function open(options: Partial<OutboxOptions> = {}): PostgresOutbox {
  return new PostgresOutbox(database, {
    reconciler: 'notification-channel',
    claimMs: 60_000,
    eventsKeptMs: DAY_MS,
    repeatMs: 0,
    queueLength: 100,
    ...options,
  });
}

function wanted(changes: Partial<Telling> = {}, eventId = 'event-1', channel = ALERTS): Wanted {
  const telling = aTelling(changes);
  return { channel, eventId, subject: subjectOf(telling), telling };
}

async function take(...all: Wanted[]): Promise<number | false> {
  const from = String(revision);
  revision += 1;
  return outbox.take(from, String(revision), all);
}

async function begin(uid = ALERTS.uid): Promise<Message> {
  const message = await outbox.begin(uid);
  if (!message) throw new Error('Nothing is due');
  return message;
}

describe('what happens', () => {
  it('is in the queue once, of however many who see it', async () => {
    const same = Array.from({ length: 8 }, () => outbox.take('1', '2', [wanted()]));
    const taken = await Promise.all(same);
    expect(taken.filter((each) => each !== false)).toEqual([0]);
    expect(await outbox.position()).toBe('2');
    expect(await outbox.log(ALERTS.uid, 10)).toHaveLength(1);
    expect(await outbox.take('1', '2', [wanted()])).toBe(false);
  });

  it('has the channel looked at, in the same transaction', async () => {
    await take(wanted());
    expect(await database.rowsOnce('SELECT name FROM woken')).toEqual([{ name: 'notification-channel team-a alerts' }]);
    expect(await outbox.due(['team-a'])).toEqual([{ namespace: 'team-a', name: 'alerts' }]);
    expect(await outbox.due(['team-b'])).toEqual([]);
  });

  it('is told once more when it happens again, and never when it is only seen again', async () => {
    await take(wanted());
    await outbox.end(ALERTS, await begin(), DELIVERED);
    await take(wanted());
    expect(await outbox.begin(ALERTS.uid)).toBeUndefined();
    await take(wanted({ count: 4 }));
    expect(await begin()).toMatchObject({ occurrences: 3, telling: { count: 4 } });
  });

  it('is gathered in the message that nobody was sent yet', async () => {
    await take(wanted(), wanted({ count: 2 }));
    await take(wanted({ count: 5, message: 'In the newest words' }), wanted({ count: 2 }, 'event-2'));
    expect(await outbox.log(ALERTS.uid, 10)).toMatchObject([{ occurrences: 6 }]);
    // Nothing of it changes once a receiver may have seen it.
    const sent = await begin();
    await take(wanted({ count: 9 }));
    await outbox.end(ALERTS, sent, LATER);
    const log = await outbox.log(ALERTS.uid, 10);
    expect(log.map(({ occurrences }) => occurrences).sort()).toEqual([4, 6]);
    expect(await begin()).toMatchObject({ id: sent.id, occurrences: 6, telling: sent.telling });
  });

  it('is gathered in the words of what happened last, whichever is taken last', async () => {
    await take(wanted({ message: 'In the newest words', lastAt: '2026-11-21T10:05:00.000Z' }));
    await take(wanted({}, 'event-2'));
    expect(await begin()).toMatchObject({ occurrences: 2, telling: { message: 'In the newest words' } });
  });

  describe('that an object is well again', () => {
    const well = (count: number): Wanted => {
      const told = wanted({ severity: 'Info', reason: 'Ready', message: 'The cluster is ready', count }, 'event-ready');
      return { ...told, isAfterTrouble: true };
    };
    const reasons = async (): Promise<readonly string[]> =>
      (await outbox.log(ALERTS.uid, 10)).map(({ telling }) => telling.reason).sort();

    it('is told once to whoever was told that it was not', async () => {
      await take(well(1));
      expect(await reasons()).toEqual([]);
      await take(wanted());
      await outbox.end(ALERTS, await begin(), DELIVERED);
      await take(well(2));
      expect(await begin()).toMatchObject({ telling: { reason: 'Ready', severity: 'Info' } });
      await take(well(3));
      expect(await reasons()).toEqual(['QuotaExceeded', 'Ready']);
      await take(wanted({ count: 2 }));
      await take(well(4));
      expect(await reasons()).toEqual(['QuotaExceeded', 'QuotaExceeded', 'Ready', 'Ready']);
    });

    it('is told also after what was told of the trouble would have been cleaned', async () => {
      await take(wanted(), wanted({ reason: 'Other' }, 'event-2'));
      for (let each = 0; each < 2; each += 1) await outbox.end(ALERTS, await begin(), DELIVERED);
      expect(await outbox.clean(-1)).toBe(1);
      await take(well(1));
      await outbox.end(ALERTS, await begin(), DELIVERED);
      expect(await outbox.clean(-1)).toBe(2);
      await take(well(2));
      expect(await reasons()).toEqual([]);
    });

    it('is told of what happened after the trouble, not of what is only seen again', async () => {
      await take(well(1));
      await take(wanted());
      await take(well(1));
      expect(await reasons()).toEqual(['QuotaExceeded']);
      await take(well(2));
      expect(await reasons()).toEqual(['QuotaExceeded', 'Ready']);
    });

    const ahead = async (ms: number): Promise<void> => {
      for (const column of ['created_at', 'due_at', 'ended_at', 'happened_at'])
        await database.execute(
          `UPDATE notification_messages SET ${column} = ${column} - $1 * interval '1 millisecond'`,
          [ms],
        );
    };
    const deliver = async (): Promise<string> => {
      const message = await begin();
      await outbox.end(ALERTS, message, DELIVERED);
      return `${message.telling.reason} ${message.telling.count}`;
    };
    const notReady = (count: number): Wanted =>
      wanted({ severity: 'Critical', reason: 'NotReady', count }, 'event-not-ready');

    it('is told of an account when its credentials are taken', async () => {
      const account = { object: { kind: 'CloudAccount', name: 'sandbox', uid: 'account-uid' } };
      await take(wanted({ ...account, severity: 'Critical', reason: 'CredentialsRejected' }));
      const accepted = wanted({ ...account, severity: 'Info', reason: 'CredentialsAccepted' }, 'event-2');
      await take({ ...accepted, isAfterTrouble: true });
      expect([await deliver(), await deliver()]).toEqual(['CredentialsRejected 1', 'CredentialsAccepted 1']);
      expect(await outbox.clean(-1)).toBe(2);
    });

    it('comes at once, behind the trouble that would have waited for its pause', async () => {
      outbox = open({ repeatMs: 300_000 });
      await take(wanted());
      expect(await deliver()).toBe('QuotaExceeded 1');
      await take(wanted({ count: 2 }));
      expect(await outbox.begin(ALERTS.uid)).toBeUndefined();
      await take(well(1));
      expect([await deliver(), await deliver()]).toEqual(['QuotaExceeded 2', 'Ready 1']);
    });

    it('is taken back when there is trouble anew before anybody was told', async () => {
      outbox = open({ repeatMs: 300_000 });
      await take(notReady(1));
      await deliver();
      await ahead(60_000);
      await take(well(1));
      await deliver();
      await ahead(60_000);
      await take(notReady(2));
      await ahead(60_000);
      await take(well(2));
      await ahead(60_000);
      await take(notReady(3));
      await ahead(60_000);
      expect(await deliver()).toBe('NotReady 3');
      await ahead(300_000);
      expect(await outbox.begin(ALERTS.uid)).toBeUndefined();
      await take(well(3));
      expect(await deliver()).toBe('Ready 3');
    });

    const at = (minute: number, { telling, ...rest }: Wanted): Wanted => ({
      ...rest,
      telling: { ...telling, lastAt: `2026-11-21T10:0${minute}:00.000Z` },
    });

    it('stays, and comes at once, when trouble is taken late that was before it', async () => {
      outbox = open({ repeatMs: 300_000 });
      await take(at(0, wanted()));
      await deliver();
      await take(at(2, well(1)));
      await take(at(1, wanted({ count: 2 })));
      expect([await deliver(), await deliver()]).toEqual(['QuotaExceeded 2', 'Ready 1']);
      await take(at(3, well(2)));
      expect(await reasons()).toEqual(['QuotaExceeded', 'QuotaExceeded', 'Ready']);
      expect(await outbox.clean(-1)).toBe(3);
    });

    it('is told once more behind trouble that is taken after it was sent and was before it', async () => {
      await take(at(0, wanted()));
      await deliver();
      await take(at(3, well(1)));
      await deliver();
      await take(at(1, wanted({ count: 2 })));
      await take(at(2, notReady(1)));
      expect([await deliver(), await deliver(), await deliver()]).toEqual(['QuotaExceeded 2', 'NotReady 1', 'Ready 1']);
      await take(at(4, well(2)));
      expect(await outbox.begin(ALERTS.uid)).toBeUndefined();
      expect(await outbox.clean(-1)).toBe(5);
    });

    it('goes before trouble that is taken before it and happened after it', async () => {
      outbox = open({ repeatMs: 300_000 });
      await take(at(0, wanted()));
      await deliver();
      await take(at(2, wanted({ count: 2 })));
      await take(at(1, well(1)));
      expect([await deliver(), await deliver()]).toEqual(['Ready 1', 'QuotaExceeded 2']);
      await ahead(300_000);
      await take(at(3, well(2)));
      expect(await deliver()).toBe('Ready 2');
    });

    it('is not told once more where there is trouble after it', async () => {
      await take(at(0, wanted()));
      await deliver();
      await take(at(2, well(1)));
      await deliver();
      await take(at(3, notReady(1)));
      await deliver();
      await take(at(1, wanted({ count: 2 })));
      expect(await deliver()).toBe('QuotaExceeded 2');
      expect(await outbox.begin(ALERTS.uid)).toBeUndefined();
    });

    it('ends trouble that is taken with it, in whatever order they are found', async () => {
      await take(at(2, well(1)), at(1, wanted()));
      expect([await deliver(), await deliver()]).toEqual(['QuotaExceeded 1', 'Ready 1']);
    });

    it('waits for trouble that is tried again, as trouble does for it', async () => {
      const again = (pauseMs: number): EndedAttempt => ({ ...LATER, pauses: { messageMs: pauseMs, channelMs: 0 } });
      await take(wanted());
      await outbox.end(ALERTS, await begin(), again(60_000));
      await take(well(1), wanted({ object: { kind: 'Cluster', name: 'other', uid: 'cluster-uid-2' } }, 'event-2'));
      expect(await deliver()).toBe('QuotaExceeded 1');
      expect(await outbox.begin(ALERTS.uid)).toBeUndefined();
      expect((await outbox.standing(ALERTS.uid)).nextInMs).toBeGreaterThan(50_000);
      await ahead(60_000);
      expect(await deliver()).toBe('QuotaExceeded 1');
      await outbox.end(ALERTS, await begin(), again(60_000));
      await take(notReady(1));
      expect(await outbox.begin(ALERTS.uid)).toBeUndefined();
      await ahead(60_000);
      expect([await deliver(), await deliver()]).toEqual(['Ready 1', 'NotReady 1']);
    });

    it('is told later where it was dropped', async () => {
      await take(wanted());
      await deliver();
      outbox = open({ queueLength: 0 });
      expect(await take(well(1))).toBe(1);
      outbox = open();
      expect(await outbox.clean(-1)).toBe(1);
      await take(well(2));
      expect(await deliver()).toBe('Ready 2');
    });

    it('is no news where another object was not, or another channel was told', async () => {
      await take(wanted({ object: { kind: 'Cluster', name: 'other', uid: 'cluster-uid-2' } }));
      await take(wanted({}, 'event-1', { ...ALERTS, uid: 'another-channel' }));
      await take(well(1));
      expect(await reasons()).toEqual(['QuotaExceeded']);
    });
  });

  it('waits when the same was told a moment ago', async () => {
    outbox = open({ repeatMs: 60_000 });
    await take(wanted());
    await outbox.end(ALERTS, await begin(), DELIVERED);
    await take(wanted({ count: 2 }), wanted({ reason: 'CapacityUnavailable' }, 'event-2'));
    expect(await begin()).toMatchObject({ telling: { reason: 'CapacityUnavailable' } });
    expect(await outbox.begin(ALERTS.uid)).toBeUndefined();
    const { nextInMs = 0, pending } = await outbox.standing(ALERTS.uid);
    expect(nextInMs).toBeGreaterThan(50_000);
    expect(pending).toBe(2);
  });

  it('goes when too much waits: the least severe first, the oldest of it, and that is counted', async () => {
    outbox = open({ queueLength: 10 });
    const info = Array.from({ length: 5 }, (_, n) => wanted({ severity: 'Info', reason: `Info${n}` }, `i${n}`));
    const bad = Array.from({ length: 8 }, (_, n) => wanted({ severity: 'Critical', reason: `Bad${n}` }, `b${n}`));
    for (const each of info) await take(each);
    expect(await take(...bad)).toBe(3);
    const dropped = await outbox.log(ALERTS.uid, 50, 'Dropped');
    expect(dropped.map(({ telling }) => telling.reason).sort()).toEqual(['Info0', 'Info1', 'Info2']);
    expect(await outbox.standing(ALERTS.uid)).toMatchObject({ pending: 10, dropped: 3 });
  });

  it('stays when it is taken out to be sent while too much is found to wait', async () => {
    outbox = open({ queueLength: 1 });
    await take(wanted());
    const isHeldUp = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`;
    const taken = await database.transaction(async (sending) => {
      await sending.execute('UPDATE notification_messages SET attempts = attempts + 1');
      const taking = take(wanted({ reason: 'Other' }, 'event-2'));
      await eventually(async () => expect(await database.rows(isHeldUp)).toHaveLength(1));
      return { taking };
    });
    expect(await taken.taking).toBe(0);
    expect(await outbox.log(ALERTS.uid, 10, 'Dropped')).toEqual([]);
  });
});

describe('a message', () => {
  it('has the same id after a process died before it could say what came of it', async () => {
    outbox = open({ claimMs: 0 });
    await take(wanted());
    const first = await begin();
    const second = await begin();
    expect(second).toEqual({ ...first, attempt: 2, ageMs: expect.any(Number) });
    await outbox.end(ALERTS, second, DELIVERED);
    const [logged] = await outbox.log(ALERTS.uid, 10);
    expect(logged).toMatchObject({ state: 'Delivered', attempts: [{ attempt: 1 }, { attempt: 2, kind: 'Delivered' }] });
    expect(logged?.attempts[0]).not.toHaveProperty('kind');
  });

  it('is begun by one of several who begin at once', async () => {
    await take(wanted(), wanted({ reason: 'Other' }, 'event-2'));
    const begun = await Promise.all(Array.from({ length: 2 }, () => outbox.begin(ALERTS.uid)));
    expect(new Set(begun.map((message) => message?.id)).size).toBe(2);
    expect(await outbox.begin(ALERTS.uid)).toBeUndefined();
  });

  it('is held back with all others of the channel, and of no other one, while the receiver is away', async () => {
    const other = { ...ALERTS, uid: 'other', name: 'other' };
    await take(wanted(), wanted({ reason: 'Other' }, 'event-2'), wanted({}, 'event-1', other));
    await outbox.end(ALERTS, await begin(), { ...LATER, pauses: { messageMs: 90_000, channelMs: 60_000 } });
    expect(await outbox.begin(ALERTS.uid)).toBeUndefined();
    expect(await begin('other')).toBeDefined();
    const standing = await outbox.standing(ALERTS.uid);
    expect(standing).toMatchObject({
      failuresInARow: 1,
      lastFailure: 'The receiver answered 503',
      pending: 2,
      failed: 0,
    });
    expect(standing.nextInMs).toBeGreaterThan(50_000);

    await outbox.release(ALERTS.uid);
    expect([(await begin()).attempt, (await begin()).attempt].sort()).toEqual([1, 2]);
  });

  it('that was given up is counted, and one that gets through ends the count of failures in a row', async () => {
    await take(wanted(), wanted({ reason: 'Other' }, 'event-2'));
    await outbox.end(ALERTS, await begin(), { kind: 'Failed', tookMs: 1, httpStatus: 404, detail: 'Not there' });
    expect(await outbox.standing(ALERTS.uid)).toMatchObject({ failed: 1, failuresInARow: 1, lastFailure: 'Not there' });
    await outbox.end(ALERTS, await begin(), DELIVERED);
    const standing = await outbox.standing(ALERTS.uid);
    expect(standing).toMatchObject({ failed: 1, failuresInARow: 0, pending: 0, lastDeliveryAt: expect.any(Date) });
    expect(standing.nextInMs).toBeUndefined();
  });

  it('is for those of several who have not taken it, until all have', async () => {
    await take(wanted());
    const outstanding = ['bob@example.org'];
    await outbox.end(ALERTS, await begin(), { ...LATER, outstanding });
    const second = await begin();
    expect(second).toMatchObject({ attempt: 2, outstanding });
    // The mail server is away: it says nothing of anybody.
    await outbox.end(ALERTS, second, LATER);
    const third = await begin();
    expect(third).toMatchObject({ outstanding });
    await outbox.end(ALERTS, third, { kind: 'Failed', tookMs: 1, reason: 'RecipientRefused' });
    expect(await outbox.standing(ALERTS.uid)).toMatchObject({ failed: 1, lastReason: 'RecipientRefused' });
  });

  it('is as old as what happened last of what it tells', async () => {
    await take(wanted());
    await database.execute(`UPDATE notification_messages SET created_at = now() - interval '2 days',
      happened_at = now() - interval '2 days'`);
    await take(wanted({ count: 2 }));
    expect((await begin()).ageMs).toBeLessThan(60_000);
  });

  it('is ended once, whoever comes late', async () => {
    await take(wanted());
    const message = await begin();
    await outbox.end(ALERTS, message, DELIVERED);
    await outbox.end(ALERTS, message, LATER);
    expect(await outbox.log(ALERTS.uid, 10)).toMatchObject([{ state: 'Delivered', attempts: [{ kind: 'Delivered' }] }]);
  });
});

describe('what is kept', () => {
  it('goes with its channel, and not with another one of the same name', async () => {
    const later = { ...ALERTS, uid: 'later' };
    await take(wanted(), wanted({}, 'event-1', later));
    await outbox.end(ALERTS, await begin(), LATER);
    expect([...(await outbox.owners('team-a', 'alerts'))].sort()).toEqual(['channel-uid', 'later']);
    await outbox.forget([ALERTS.uid]);
    expect(await outbox.owners('team-a', 'alerts')).toEqual(['later']);
    expect(await outbox.log(ALERTS.uid, 10)).toEqual([]);
    expect(await outbox.standing(ALERTS.uid)).toMatchObject({ pending: 0, failuresInARow: 0 });
    expect(await outbox.backlog()).toMatchObject({ pending: 1 });
  });

  it('is cleaned once it is old, unless it still waits', async () => {
    const info = { severity: 'Info' } as const;
    await take(wanted(info), wanted({ ...info, reason: 'Other' }, 'event-2'));
    await outbox.end(ALERTS, await begin(), DELIVERED);
    expect(await outbox.clean(60_000)).toBe(0);
    expect(await outbox.clean(-1)).toBe(1);
    expect(await outbox.log(ALERTS.uid, 10)).toMatchObject([{ state: 'Pending' }]);
  });

  it.each([
    { eventsKeptMs: 10 * DAY_MS, isNews: false },
    { eventsKeptMs: DAY_MS, isNews: true },
  ])('of what was told outlives the events, which are copied anew: $eventsKeptMs', async ({ eventsKeptMs, isNews }) => {
    outbox = open({ eventsKeptMs });
    await take(wanted());
    await outbox.end(ALERTS, await begin(), DELIVERED);
    await database.execute(`UPDATE notification_told SET told_at = now() - interval '8 days'`);
    await outbox.clean(60_000);
    await take(wanted());
    expect((await outbox.begin(ALERTS.uid)) !== undefined).toBe(isNews);
  });

  it('holds tests, which wait in no queue', async () => {
    await outbox.note(ALERTS, { id: 'test-1', telling: aTelling({ reason: 'Test' }) }, DELIVERED);
    expect(await outbox.begin(ALERTS.uid)).toBeUndefined();
    expect(await outbox.log(ALERTS.uid, 10)).toMatchObject([
      { id: 'test-1', state: 'Delivered', attempts: [{ httpStatus: 200, tookMs: 12 }] },
    ]);
  });
});
