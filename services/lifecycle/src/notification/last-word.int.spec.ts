import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startPostgres, type PostgresServer } from '@crate/testing';
import type { EndedAttempt, Wanted } from './outbox.js';
import { ALERTS } from './testing/a-channel.js';
import { DELIVERED, LATER, OutboxBench, wanted } from './testing/outbox-bench.js';

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

describe('what a channel tells last of an object: that it is well again', () => {
  const well = (count: number): Wanted => {
    const told = wanted({ severity: 'Info', reason: 'Ready', message: 'The cluster is ready', count }, 'event-ready');
    return { ...told, isAfterTrouble: true };
  };
  const reasons = async (): Promise<readonly string[]> =>
    (await bench.outbox.log(ALERTS.uid, 10)).map(({ telling }) => telling.reason).sort();

  it('is told once to whoever was told that it was not', async () => {
    await bench.take(well(1));
    expect(await reasons()).toEqual([]);
    await bench.take(wanted());
    await bench.outbox.end(ALERTS, await bench.begin(), DELIVERED);
    await bench.take(well(2));
    expect(await bench.begin()).toMatchObject({ telling: { reason: 'Ready', severity: 'Info' } });
    await bench.take(well(3));
    expect(await reasons()).toEqual(['QuotaExceeded', 'Ready']);
    await bench.take(wanted({ count: 2 }));
    await bench.take(well(4));
    expect(await reasons()).toEqual(['QuotaExceeded', 'QuotaExceeded', 'Ready', 'Ready']);
  });

  it('is told also after what was told of the trouble would have been cleaned', async () => {
    await bench.take(wanted(), wanted({ reason: 'Other' }, 'event-2'));
    for (let each = 0; each < 2; each += 1) await bench.outbox.end(ALERTS, await bench.begin(), DELIVERED);
    expect(await bench.outbox.clean(-1)).toBe(1);
    await bench.take(well(1));
    await bench.outbox.end(ALERTS, await bench.begin(), DELIVERED);
    expect(await bench.outbox.clean(-1)).toBe(2);
    await bench.take(well(2));
    expect(await reasons()).toEqual([]);
  });

  it('is told of what happened after the trouble, not of what is only seen again', async () => {
    await bench.take(well(1));
    await bench.take(wanted());
    await bench.take(well(1));
    expect(await reasons()).toEqual(['QuotaExceeded']);
    await bench.take(well(2));
    expect(await reasons()).toEqual(['QuotaExceeded', 'Ready']);
  });

  const ahead = async (ms: number): Promise<void> => {
    for (const column of ['created_at', 'due_at', 'ended_at', 'happened_at'])
      await bench.database.execute(
        `UPDATE notification_messages SET ${column} = ${column} - $1 * interval '1 millisecond'`,
        [ms],
      );
  };
  const deliver = async (): Promise<string> => {
    const message = await bench.begin();
    await bench.outbox.end(ALERTS, message, DELIVERED);
    return `${message.telling.reason} ${message.telling.count}`;
  };
  const notReady = (count: number): Wanted =>
    wanted({ severity: 'Critical', reason: 'NotReady', count }, 'event-not-ready');

  it('is told of an account when its credentials are taken', async () => {
    const account = { object: { kind: 'CloudAccount', name: 'sandbox', uid: 'account-uid' } };
    await bench.take(wanted({ ...account, severity: 'Critical', reason: 'CredentialsRejected' }));
    const accepted = wanted({ ...account, severity: 'Info', reason: 'CredentialsAccepted' }, 'event-2');
    await bench.take({ ...accepted, isAfterTrouble: true });
    expect([await deliver(), await deliver()]).toEqual(['CredentialsRejected 1', 'CredentialsAccepted 1']);
    expect(await bench.outbox.clean(-1)).toBe(2);
  });

  it('comes at once, behind the trouble that would have waited for its pause', async () => {
    bench.reopen({ repeatMs: 300_000 });
    await bench.take(wanted());
    expect(await deliver()).toBe('QuotaExceeded 1');
    await bench.take(wanted({ count: 2 }));
    expect(await bench.outbox.begin(ALERTS.uid)).toBeUndefined();
    await bench.take(well(1));
    expect([await deliver(), await deliver()]).toEqual(['QuotaExceeded 2', 'Ready 1']);
  });

  it('is taken back when there is trouble anew before anybody was told', async () => {
    bench.reopen({ repeatMs: 300_000 });
    await bench.take(notReady(1));
    await deliver();
    await ahead(60_000);
    await bench.take(well(1));
    await deliver();
    await ahead(60_000);
    await bench.take(notReady(2));
    await ahead(60_000);
    await bench.take(well(2));
    await ahead(60_000);
    await bench.take(notReady(3));
    await ahead(60_000);
    expect(await deliver()).toBe('NotReady 3');
    await ahead(300_000);
    expect(await bench.outbox.begin(ALERTS.uid)).toBeUndefined();
    await bench.take(well(3));
    expect(await deliver()).toBe('Ready 3');
  });

  const at = (minute: number, { telling, ...rest }: Wanted): Wanted => ({
    ...rest,
    telling: { ...telling, lastAt: `2026-11-21T10:0${minute}:00.000Z` },
  });

  it('stays, and comes at once, when trouble is taken late that was before it', async () => {
    bench.reopen({ repeatMs: 300_000 });
    await bench.take(at(0, wanted()));
    await deliver();
    await bench.take(at(2, well(1)));
    await bench.take(at(1, wanted({ count: 2 })));
    expect([await deliver(), await deliver()]).toEqual(['QuotaExceeded 2', 'Ready 1']);
    await bench.take(at(3, well(2)));
    expect(await reasons()).toEqual(['QuotaExceeded', 'QuotaExceeded', 'Ready']);
    expect(await bench.outbox.clean(-1)).toBe(3);
  });

  it('is told once more behind trouble that is taken after it was sent and was before it', async () => {
    await bench.take(at(0, wanted()));
    await deliver();
    await bench.take(at(3, well(1)));
    await deliver();
    await bench.take(at(1, wanted({ count: 2 })));
    await bench.take(at(2, notReady(1)));
    expect([await deliver(), await deliver(), await deliver()]).toEqual(['QuotaExceeded 2', 'NotReady 1', 'Ready 1']);
    await bench.take(at(4, well(2)));
    expect(await bench.outbox.begin(ALERTS.uid)).toBeUndefined();
    expect(await bench.outbox.clean(-1)).toBe(5);
  });

  it('goes before trouble that is taken before it and happened after it', async () => {
    bench.reopen({ repeatMs: 300_000 });
    await bench.take(at(0, wanted()));
    await deliver();
    await bench.take(at(2, wanted({ count: 2 })));
    await bench.take(at(1, well(1)));
    expect([await deliver(), await deliver()]).toEqual(['Ready 1', 'QuotaExceeded 2']);
    await ahead(300_000);
    await bench.take(at(3, well(2)));
    expect(await deliver()).toBe('Ready 2');
  });

  it('is not told once more where there is trouble after it', async () => {
    await bench.take(at(0, wanted()));
    await deliver();
    await bench.take(at(2, well(1)));
    await deliver();
    await bench.take(at(3, notReady(1)));
    await deliver();
    await bench.take(at(1, wanted({ count: 2 })));
    expect(await deliver()).toBe('QuotaExceeded 2');
    expect(await bench.outbox.begin(ALERTS.uid)).toBeUndefined();
  });

  it('ends trouble that is taken with it, in whatever order they are found', async () => {
    await bench.take(at(2, well(1)), at(1, wanted()));
    expect([await deliver(), await deliver()]).toEqual(['QuotaExceeded 1', 'Ready 1']);
  });

  it('waits for trouble that is tried again, as trouble does for it', async () => {
    const again = (pauseMs: number): EndedAttempt => ({ ...LATER, pauses: { messageMs: pauseMs, channelMs: 0 } });
    await bench.take(wanted());
    await bench.outbox.end(ALERTS, await bench.begin(), again(60_000));
    await bench.take(well(1), wanted({ object: { kind: 'Cluster', name: 'other', uid: 'cluster-uid-2' } }, 'event-2'));
    expect(await deliver()).toBe('QuotaExceeded 1');
    expect(await bench.outbox.begin(ALERTS.uid)).toBeUndefined();
    expect((await bench.outbox.standing(ALERTS.uid)).nextInMs).toBeGreaterThan(50_000);
    await ahead(60_000);
    expect(await deliver()).toBe('QuotaExceeded 1');
    await bench.outbox.end(ALERTS, await bench.begin(), again(60_000));
    await bench.take(notReady(1));
    expect(await bench.outbox.begin(ALERTS.uid)).toBeUndefined();
    await ahead(60_000);
    expect([await deliver(), await deliver()]).toEqual(['Ready 1', 'NotReady 1']);
  });

  it('is told later where it was dropped', async () => {
    await bench.take(wanted());
    await deliver();
    bench.reopen({ queueLength: 0 });
    expect(await bench.take(well(1))).toBe(1);
    bench.reopen();
    expect(await bench.outbox.clean(-1)).toBe(1);
    await bench.take(well(2));
    expect(await deliver()).toBe('Ready 2');
  });

  const dropped = async (): Promise<readonly string[]> =>
    (await bench.outbox.log(ALERTS.uid, 50, 'Dropped')).map(({ telling }) => telling.reason).sort();
  const others = (count: number): Wanted[] =>
    Array.from({ length: count }, (_, n) =>
      wanted({ object: { kind: 'Cluster', name: `other-${n}`, uid: `other-uid-${n}` }, reason: `Other${n}` }, `o-${n}`),
    );

  it('stays, when too much waits, longer than all that is as bad as what the receiver knows', async () => {
    bench.reopen({ queueLength: 10 });
    await bench.take(wanted());
    await deliver();
    await bench.take(at(1, well(1)));
    expect(await bench.take(...others(11))).toBe(2);
    expect(await dropped()).toEqual(['Other0', 'Other1']);
  });

  it('goes, when too much waits, with trouble that nobody was told of and not before it', async () => {
    bench.reopen({ queueLength: 10 });
    await bench.take(wanted(), at(1, well(1)));
    await bench.take(...others(8));
    await bench.take(wanted({ severity: 'Info', reason: 'Created' }, 'event-created'));
    expect(await dropped()).toEqual(['Created']);
    const [first, second] = [
      { name: 'late-1', uid: 'late-1' },
      { name: 'late-2', uid: 'late-2' },
    ];
    await bench.take(wanted({ object: { kind: 'Cluster', ...first } }, 'late-1'));
    expect(await dropped()).toEqual(['Created', 'QuotaExceeded']);
    await bench.take(wanted({ object: { kind: 'Cluster', ...second } }, 'late-2'));
    expect(await dropped()).toEqual(['Created', 'QuotaExceeded', 'Ready']);
  });

  it('goes, when too much waits, after what is less bad than what it ends', async () => {
    bench.reopen({ queueLength: 2 });
    await bench.take(notReady(1), at(1, well(1)));
    expect(await bench.take(...others(2))).toBe(2);
    expect(await dropped()).toEqual(['Other0', 'Other1']);
  });

  it('is no news where another object was not, or another channel was told', async () => {
    await bench.take(wanted({ object: { kind: 'Cluster', name: 'other', uid: 'cluster-uid-2' } }));
    await bench.take(wanted({}, 'event-1', { ...ALERTS, uid: 'another-channel' }));
    await bench.take(well(1));
    expect(await reasons()).toEqual(['QuotaExceeded']);
  });
});
