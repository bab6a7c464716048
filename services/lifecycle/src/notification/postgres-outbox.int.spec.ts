import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, startPostgres, type PostgresServer } from '@crate/testing';
import { NOTHING_SENT, type EndedAttempt, type Standing } from './outbox.js';
import { ALERTS, aTelling } from './testing/a-channel.js';
import { DAY_MS, DELIVERED, LATER, OutboxBench, wanted } from './testing/outbox-bench.js';

let postgres: PostgresServer;
let bench: OutboxBench;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(async () => postgres.stop());

beforeEach(async () => {
  bench = await OutboxBench.start(postgres);
});
afterEach(async () => bench.stop());

describe('what happens', () => {
  it('is in the queue once, of however many who see it', async () => {
    const same = Array.from({ length: 8 }, () => bench.outbox.take('1', '2', [wanted()]));
    const taken = await Promise.all(same);
    expect(taken.filter((each) => each !== false)).toEqual([0]);
    expect(await bench.outbox.position()).toBe('2');
    expect(await bench.outbox.log(ALERTS.uid, 10)).toHaveLength(1);
    expect(await bench.outbox.take('1', '2', [wanted()])).toBe(false);
  });

  it('has the channel looked at, in the same transaction', async () => {
    await bench.take(wanted());
    expect(await bench.database.rowsOnce('SELECT name FROM woken')).toEqual([
      { name: 'notification-channel team-a alerts' },
    ]);
    expect(await bench.outbox.due(['team-a'])).toEqual([{ namespace: 'team-a', name: 'alerts' }]);
    expect(await bench.outbox.due(['team-b'])).toEqual([]);
  });

  it('is told once more when it happens again, and never when it is only seen again', async () => {
    await bench.take(wanted());
    await bench.outbox.end(ALERTS, await bench.begin(), DELIVERED);
    await bench.take(wanted());
    expect(await bench.outbox.begin(ALERTS.uid)).toBeUndefined();
    await bench.take(wanted({ count: 4 }));
    expect(await bench.begin()).toMatchObject({ occurrences: 3, telling: { count: 4 } });
  });

  it('is gathered in the message that nobody was sent yet', async () => {
    await bench.take(wanted(), wanted({ count: 2 }));
    await bench.take(wanted({ count: 5, message: 'In the newest words' }), wanted({ count: 2 }, 'event-2'));
    expect(await bench.outbox.log(ALERTS.uid, 10)).toMatchObject([{ occurrences: 6 }]);
    // Nothing of it changes once a receiver may have seen it.
    const sent = await bench.begin();
    await bench.take(wanted({ count: 9 }));
    await bench.outbox.end(ALERTS, sent, LATER);
    const log = await bench.outbox.log(ALERTS.uid, 10);
    expect(log.map(({ occurrences }) => occurrences).sort()).toEqual([4, 6]);
    expect(await bench.begin()).toMatchObject({ id: sent.id, occurrences: 6, telling: sent.telling });
  });

  it('is gathered in the words of what happened last, whichever is taken last', async () => {
    await bench.take(wanted({ message: 'In the newest words', lastAt: '2026-11-21T10:05:00.000Z' }));
    await bench.take(wanted({}, 'event-2'));
    expect(await bench.begin()).toMatchObject({ occurrences: 2, telling: { message: 'In the newest words' } });
  });

  it('waits when the same was told a moment ago', async () => {
    bench.reopen({ repeatMs: 60_000 });
    await bench.take(wanted());
    await bench.outbox.end(ALERTS, await bench.begin(), DELIVERED);
    await bench.take(wanted({ count: 2 }), wanted({ reason: 'CapacityUnavailable' }, 'event-2'));
    expect(await bench.begin()).toMatchObject({ telling: { reason: 'CapacityUnavailable' } });
    expect(await bench.outbox.begin(ALERTS.uid)).toBeUndefined();
    const { nextInMs = 0, pending } = await bench.outbox.standing(ALERTS.uid);
    expect(nextInMs).toBeGreaterThan(50_000);
    expect(pending).toBe(2);
  });

  it('goes when too much waits: the least severe first, the oldest of it, and that is counted', async () => {
    bench.reopen({ queueLength: 10 });
    const info = Array.from({ length: 5 }, (_, n) => wanted({ severity: 'Info', reason: `Info${n}` }, `i${n}`));
    const bad = Array.from({ length: 8 }, (_, n) => wanted({ severity: 'Critical', reason: `Bad${n}` }, `b${n}`));
    for (const each of info) await bench.take(each);
    expect(await bench.take(...bad)).toBe(3);
    const dropped = await bench.outbox.log(ALERTS.uid, 50, 'Dropped');
    expect(dropped.map(({ telling }) => telling.reason).sort()).toEqual(['Info0', 'Info1', 'Info2']);
    expect(await bench.outbox.standing(ALERTS.uid)).toMatchObject({ pending: 10, dropped: 3 });
  });

  it('stays when it is taken out to be sent while too much is found to wait', async () => {
    bench.reopen({ queueLength: 1 });
    await bench.take(wanted());
    const isHeldUp = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`;
    const taken = await bench.database.transaction(async (sending) => {
      await sending.execute('UPDATE notification_messages SET attempts = attempts + 1');
      const taking = bench.take(wanted({ reason: 'Other' }, 'event-2'));
      await eventually(async () => expect(await bench.database.rows(isHeldUp)).toHaveLength(1));
      return { taking };
    });
    expect(await taken.taking).toBe(0);
    expect(await bench.outbox.log(ALERTS.uid, 10, 'Dropped')).toEqual([]);
  });
});

describe('a message', () => {
  it('has the same id after a process died before it could say what came of it', async () => {
    bench.reopen({ claimMs: 0 });
    await bench.take(wanted());
    const first = await bench.begin();
    const second = await bench.begin();
    expect(second).toEqual({ ...first, attempt: 2 });
    await bench.outbox.end(ALERTS, second, DELIVERED);
    const [logged] = await bench.outbox.log(ALERTS.uid, 10);
    expect(logged).toMatchObject({ state: 'Delivered', attempts: [{ attempt: 1 }, { attempt: 2, kind: 'Delivered' }] });
    expect(logged?.attempts[0]).not.toHaveProperty('kind');
  });

  it('that was under way when a process died is due as soon as that is known; one that waits for its next attempt is not', async () => {
    const other = { ...ALERTS, uid: 'other', name: 'other' };
    await bench.take(wanted(), wanted({}, 'event-1', other));
    await bench.begin('other');
    const first = await bench.begin();
    expect(await bench.outbox.begin(ALERTS.uid)).toBeUndefined();
    await bench.outbox.takeOver(ALERTS.uid);
    const second = await bench.begin();
    expect(second).toEqual({ ...first, attempt: 2 });
    expect(await bench.outbox.begin('other')).toBeUndefined();

    await bench.outbox.end(ALERTS, second, { ...LATER, pauses: { messageMs: 60_000, channelMs: 0 } });
    await bench.outbox.takeOver(ALERTS.uid);
    expect(await bench.outbox.begin(ALERTS.uid)).toBeUndefined();
  });

  it('is begun by one of several who begin at once', async () => {
    await bench.take(wanted(), wanted({ reason: 'Other' }, 'event-2'));
    const begun = await Promise.all(Array.from({ length: 2 }, () => bench.outbox.begin(ALERTS.uid)));
    expect(new Set(begun.map((message) => message?.id)).size).toBe(2);
    expect(await bench.outbox.begin(ALERTS.uid)).toBeUndefined();
  });

  it('is held back with all others of the channel, and of no other one, while the receiver is away', async () => {
    const other = { ...ALERTS, uid: 'other', name: 'other' };
    await bench.take(wanted(), wanted({ reason: 'Other' }, 'event-2'), wanted({}, 'event-1', other));
    await bench.outbox.end(ALERTS, await bench.begin(), { ...LATER, pauses: { messageMs: 90_000, channelMs: 60_000 } });
    expect(await bench.outbox.begin(ALERTS.uid)).toBeUndefined();
    expect(await bench.begin('other')).toBeDefined();
    const standing = await bench.outbox.standing(ALERTS.uid);
    expect(standing).toMatchObject({
      failuresInARow: 1,
      lastFailure: 'The receiver answered 503',
      pending: 2,
      failed: 0,
    });
    expect(standing.nextInMs).toBeGreaterThan(50_000);

    await bench.outbox.release(ALERTS.uid);
    expect([(await bench.begin()).attempt, (await bench.begin()).attempt].sort()).toEqual([1, 2]);
  });

  it('that was given up is counted, and one that gets through ends the count of failures in a row', async () => {
    await bench.take(wanted(), wanted({ reason: 'Other' }, 'event-2'));
    await bench.outbox.end(ALERTS, await bench.begin(), {
      kind: 'Failed',
      tookMs: 1,
      httpStatus: 404,
      detail: 'Not there',
    });
    expect(await bench.outbox.standing(ALERTS.uid)).toMatchObject({
      failed: 1,
      failuresInARow: 1,
      lastFailure: 'Not there',
    });
    await bench.outbox.end(ALERTS, await bench.begin(), DELIVERED);
    const standing = await bench.outbox.standing(ALERTS.uid);
    expect(standing).toMatchObject({ failed: 1, failuresInARow: 0, pending: 0, lastDeliveryAt: expect.any(Date) });
    expect(standing.nextInMs).toBeUndefined();
  });

  it('is for those of several who have not taken it, until all have', async () => {
    await bench.take(wanted());
    const outstanding = ['bob@example.org'];
    await bench.outbox.end(ALERTS, await bench.begin(), { ...LATER, outstanding });
    const second = await bench.begin();
    expect(second).toMatchObject({ attempt: 2, outstanding });
    // The mail server is away: it says nothing of anybody.
    await bench.outbox.end(ALERTS, second, LATER);
    const third = await bench.begin();
    expect(third).toMatchObject({ outstanding });
    await bench.outbox.end(ALERTS, third, { kind: 'Failed', tookMs: 1, reason: 'RecipientRefused' });
    expect(await bench.outbox.standing(ALERTS.uid)).toMatchObject({ failed: 1, lastReason: 'RecipientRefused' });
  });

  it('is ended once, whoever comes late', async () => {
    await bench.take(wanted());
    const message = await bench.begin();
    await bench.outbox.end(ALERTS, message, DELIVERED);
    await bench.outbox.end(ALERTS, message, LATER);
    expect(await bench.outbox.log(ALERTS.uid, 10)).toMatchObject([
      { state: 'Delivered', attempts: [{ kind: 'Delivered' }] },
    ]);
  });
});

describe('what waits for too long', () => {
  const age = async (column = 'happened_at'): Promise<number> =>
    bench.database.execute(`UPDATE notification_messages SET ${column} = now() - interval '2 days'`);
  const giveUp = async (): Promise<void> => bench.outbox.giveUp(ALERTS, DAY_MS);
  const states = async (): Promise<readonly string[]> =>
    (await bench.outbox.log(ALERTS.uid, 10)).map(({ state, telling }) => `${telling.reason} ${state}`).sort();

  it('is dropped where it was never tried, and says nothing of how the receiver is', async () => {
    await bench.take(wanted(), wanted({}, 'event-1', { ...ALERTS, uid: 'other' }));
    await age();
    await bench.take(wanted({ reason: 'Young' }, 'event-2'));
    await giveUp();
    await giveUp();
    expect(await states()).toEqual(['QuotaExceeded Dropped', 'Young Pending']);
    const standing = await bench.outbox.standing(ALERTS.uid);
    expect(standing).toMatchObject({ failed: 0, dropped: 1, failuresInARow: 0, pending: 1 });
    expect(standing).not.toHaveProperty('lastFailure');
    expect(await bench.outbox.standing('other')).toMatchObject({ pending: 1, dropped: 0 });
  });

  it('has failed where it was tried, for whom is in the log, and how the last attempt ended stays', async () => {
    await bench.take(wanted());
    await bench.outbox.end(ALERTS, await bench.begin(), { ...LATER, outstanding: ['bob@example.org'] });
    await age();
    await giveUp();
    await giveUp();
    const given = 'Given up: not delivered to bob@example.org within 24 h';
    expect(await bench.outbox.log(ALERTS.uid, 10)).toMatchObject([
      { state: 'Failed', attempts: [{ kind: 'Retry' }, { attempt: 2, kind: 'Failed', detail: given }] },
    ]);
    const lastFailure = 'The receiver answered 503';
    const counts = { failed: 1, dropped: 0, pending: 0, failuresInARow: 1 };
    expect(await bench.outbox.standing(ALERTS.uid)).toMatchObject({ ...counts, lastFailure });
  });

  it('is left to whoever tries it, for as long as that may take', async () => {
    await bench.take(wanted());
    const message = await bench.begin();
    await age();
    await giveUp();
    expect(await states()).toEqual(['QuotaExceeded Pending']);
    bench.reopen({ claimMs: 0 });
    await giveUp();
    expect(await states()).toEqual(['QuotaExceeded Failed']);
    await bench.outbox.end(ALERTS, message, LATER);
    expect(await states()).toEqual(['QuotaExceeded Failed']);
  });

  it('is as old as what happened last of what it tells', async () => {
    await bench.take(wanted());
    await age('created_at');
    await age();
    await bench.take(wanted({ count: 2 }));
    await giveUp();
    expect(await states()).toEqual(['QuotaExceeded Pending']);
  });

  it('is as old as itself, where it was taken before it was noted when that happened', async () => {
    await bench.take(wanted());
    await bench.database.execute('UPDATE notification_messages SET happened_at = NULL');
    await age('created_at');
    await giveUp();
    expect(await states()).toEqual(['QuotaExceeded Dropped']);
  });

  it('is no backlog of channels that may send nothing', async () => {
    await bench.take(wanted(), wanted({}, 'event-1', { ...ALERTS, uid: 'other' }));
    expect(await bench.outbox.backlog([])).toMatchObject({ pending: 2 });
    expect(await bench.outbox.backlog(['other', 'gone'])).toMatchObject({ pending: 1 });
    expect(await bench.outbox.backlog(['other', ALERTS.uid])).toEqual({ pending: 0, oldestAgeMs: 0 });
  });
});

describe('what is kept', () => {
  it('goes with its channel, and not with another one of the same name', async () => {
    const later = { ...ALERTS, uid: 'later' };
    await bench.take(wanted(), wanted({}, 'event-1', later));
    await bench.outbox.end(ALERTS, await bench.begin(), LATER);
    expect([...(await bench.outbox.owners('team-a', 'alerts'))].sort()).toEqual(['channel-uid', 'later']);
    await bench.outbox.forget([ALERTS.uid]);
    expect(await bench.outbox.owners('team-a', 'alerts')).toEqual(['later']);
    expect(await bench.outbox.log(ALERTS.uid, 10)).toEqual([]);
    expect(await bench.outbox.standing(ALERTS.uid)).toMatchObject({ pending: 0, failuresInARow: 0 });
    expect(await bench.outbox.backlog([])).toMatchObject({ pending: 1 });
  });

  it('is cleaned once it is old, unless it still waits', async () => {
    const info = { severity: 'Info' } as const;
    await bench.take(wanted(info), wanted({ ...info, reason: 'Other' }, 'event-2'));
    await bench.outbox.end(ALERTS, await bench.begin(), DELIVERED);
    expect(await bench.outbox.clean(60_000)).toBe(0);
    expect(await bench.outbox.clean(-1)).toBe(1);
    expect(await bench.outbox.log(ALERTS.uid, 10)).toMatchObject([{ state: 'Pending' }]);
  });

  it.each([
    { eventsKeptMs: 10 * DAY_MS, isNews: false },
    { eventsKeptMs: DAY_MS, isNews: true },
  ])('of what was told outlives the events, which are copied anew: $eventsKeptMs', async ({ eventsKeptMs, isNews }) => {
    bench.reopen({ eventsKeptMs });
    await bench.take(wanted());
    await bench.outbox.end(ALERTS, await bench.begin(), DELIVERED);
    await bench.database.execute(`UPDATE notification_told SET told_at = now() - interval '8 days'`);
    await bench.outbox.clean(60_000);
    await bench.take(wanted());
    expect((await bench.outbox.begin(ALERTS.uid)) !== undefined).toBe(isNews);
  });

  it('is looked through object by object, however much else there is of its channel', async () => {
    await bench.database.rowsOnce(
      `INSERT INTO notification_messages
          (id, channel_uid, project, channel, subject, severity, content, occurrences, state, attempts, ended_at)
        SELECT 'trouble-' || n, '${ALERTS.uid}', 'team-a', 'alerts', 'uid-' || n || '  NotReady Critical', 3,
          '{"lastAt": "2026-01-01T00:00:00.000Z"}', 1, 'Delivered', 1, now() - interval '30 days'
        FROM generate_series(1, 2000) AS n`,
    );
    await bench.database.rowsOnce('ANALYZE notification_messages');
    expect(await bench.outbox.clean(7 * DAY_MS)).toBe(0);
    const [statement] = await bench.database.rowsOnce<{ name: string }>(
      `SELECT name FROM pg_prepared_statements WHERE statement LIKE 'DELETE FROM notification_messages%'`,
    );
    const plan = await bench.database.rowsOnce(`EXPLAIN EXECUTE ${statement?.name}(${7 * DAY_MS}, 2, ${90 * DAY_MS})`);
    expect(JSON.stringify(plan)).toMatch(/Index Cond: [^"]*subject >=/u);
  });

  it('holds tests, which wait in no queue', async () => {
    await bench.outbox.note(ALERTS, { id: 'test-1', telling: aTelling({ reason: 'Test' }) }, DELIVERED);
    expect(await bench.outbox.begin(ALERTS.uid)).toBeUndefined();
    expect(await bench.outbox.log(ALERTS.uid, 10)).toMatchObject([
      { id: 'test-1', state: 'Delivered', attempts: [{ httpStatus: 200, tookMs: 12 }] },
    ]);
  });

  it('takes a test that arrived for what the channel is, and holds nothing back for one that did not', async () => {
    await bench.take(wanted(), wanted({}, 'event-2'));
    await bench.outbox.end(ALERTS, await bench.begin(), { ...LATER, pauses: { messageMs: 0, channelMs: 60_000 } });
    const test = { id: 'test-1', telling: aTelling({ reason: 'Test' }) };
    await bench.outbox.note(ALERTS, test, LATER);
    expect(await bench.outbox.standing(ALERTS.uid)).toMatchObject({ failuresInARow: 1 });
    expect(await bench.outbox.begin(ALERTS.uid)).toBeUndefined();
    await bench.outbox.note(ALERTS, { ...test, id: 'test-2' }, DELIVERED);
    const standing = await bench.outbox.standing(ALERTS.uid);
    expect(standing).toMatchObject({ failuresInARow: 0, lastDeliveryAt: expect.any(Date) });
    await bench.begin();
  });

  it('forgets the failures of a channel that was changed, until it sends something', async () => {
    const standing = (): Promise<Standing> => bench.outbox.standing(ALERTS.uid);
    await bench.take(wanted());
    await bench.outbox.end(ALERTS, await bench.begin(), { kind: 'Failed', tookMs: 5, reason: 'RecipientRefused' });
    for (let pass = 0; pass < 2; pass += 1) {
      await bench.outbox.release(ALERTS.uid);
      expect(await standing()).toMatchObject({ failuresInARow: 0, failed: 1, lastReason: NOTHING_SENT });
    }
    await bench.outbox.note(ALERTS, { id: 'test-1', telling: aTelling({ reason: 'Test' }) }, DELIVERED);
    await bench.outbox.release(ALERTS.uid);
    expect(await standing()).toMatchObject({ failuresInARow: 0 });
    expect((await standing()).lastReason).toBeUndefined();
  });

  it('takes a test that failed for what the channel is where nothing else says it', async () => {
    const test = async (id: string, how: EndedAttempt): Promise<Standing> => {
      await bench.outbox.note(ALERTS, { id, telling: aTelling({ reason: 'Test' }) }, how);
      return bench.outbox.standing(ALERTS.uid);
    };
    const refused = { failuresInARow: 1, failed: 0, lastFailure: 'Refused', lastReason: 'RecipientRefused' };
    const refusal: EndedAttempt = { kind: 'Failed', tookMs: 5, detail: 'Refused', reason: 'RecipientRefused' };
    expect(await test('before the first message', refusal)).toMatchObject(refused);
    await bench.outbox.release(ALERTS.uid);
    expect(await test('since it was changed', refusal)).toMatchObject(refused);
    await test('arrived', DELIVERED);
    expect(await test('after one that arrived', refusal)).toMatchObject({ failuresInARow: 0 });
    await bench.take(wanted());
    await bench.begin();
  });
});
