import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startPostgres, type PostgresServer } from '@crate/testing';
import { ADA, AuditFixture, aProject, PROJECTS } from './testing/audit-fixture.js';
import { verifyChain, type ChainReport } from './verify-chain.js';

let server: PostgresServer;
let audit: AuditFixture;

beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());
beforeEach(async () => {
  audit = await AuditFixture.open(server);
});
afterEach(() => audit.close());

async function verify(): Promise<ChainReport> {
  return verifyChain({ log: audit.log, keys: audit.keys, limit: 100_000 });
}

async function write(count: number, first = 1): Promise<void> {
  for (let n = first; n < first + count; n += 1) await audit.api.create(PROJECTS, aProject(`team-${n}`), {}, ADA);
}

/** Rewrites the chain from a row on, as somebody would who knows how it is made. */
const REHASH = (first: number): string => `DO $$
  DECLARE row record; last bytea := (SELECT hash FROM audit_log WHERE seq = ${first - 1});
  BEGIN
    FOR row IN SELECT seq, line FROM audit_log WHERE seq >= ${first} ORDER BY seq LOOP
      last := sha256(last || convert_to(row.seq::text || ' ' || row.line, 'UTF8'));
      UPDATE audit_log SET hash = last WHERE seq = row.seq;
    END LOOP;
    UPDATE audit_head SET hash = last;
  END $$`;
const CHANGE_THREE = `UPDATE audit_log SET line = replace(line, '"ada"', '"eve"'), user_name = 'eve' WHERE seq = 3`;

describe('the audit log', () => {
  it('refuses to change or remove what is in it', async () => {
    await write(2);
    for (const statement of [
      `UPDATE audit_log SET user_name = 'eve'`,
      'DELETE FROM audit_log WHERE seq = 1',
      'TRUNCATE audit_log',
      'DELETE FROM audit_checkpoints',
    ]) {
      if (statement.includes('checkpoints')) await audit.keeper().look();
      await expect(audit.database.rowsOnce(statement)).rejects.toMatchObject({
        cause: { message: 'The audit log is append-only' },
      });
    }
    expect(await verify()).toMatchObject({ checked: 2, problems: [] });
  });

  it('tells another epoch each time that its database is set back, also to the same point', async () => {
    expect((await audit.log.state()).epoch).toBe(0);
    for (const second of ['10', '11']) {
      await audit.database.execute('UPDATE recovery SET epoch = 1, begun_at = $1', [`2026-11-26T16:00:${second}.9Z`]);
      expect((await audit.log.state()).epoch).toBe(Date.parse(`2026-11-26T16:00:${second}Z`) / 1000);
    }
  });

  it('stays one chain when many replicas write at once', async () => {
    const replicas = [audit.store, audit.replica(), audit.replica()];
    const writes = Array.from({ length: 150 }, (_, n) =>
      audit.apiOn(replicas[n % 3]!).create(PROJECTS, aProject(`team-${n}`), {}, ADA),
    );
    const refusals = Array.from({ length: 50 }, () => audit.log.append([{ ...RECORD }]));
    await Promise.all([...writes, ...refusals]);
    await Promise.all([replicas[1]?.close(), replicas[2]?.close()]);

    expect(await verify()).toMatchObject({ checked: 200, isComplete: true, problems: [] });
    const versions = (await audit.records()).flatMap(({ resourceVersion }) => resourceVersion ?? []);
    expect(versions.map(Number)).toEqual(versions.map(Number).sort((a, b) => a - b));
    expect(new Set(versions).size).toBe(150);
  });

  it('is verified in parts as well', async () => {
    await write(5);
    const { log, keys } = audit;
    const first = await verifyChain({ log, keys, limit: 2 });
    expect(first).toMatchObject({ checked: 2, isComplete: false, upTo: { seq: 2 } });
    expect(await verifyChain({ log, keys, limit: 10, from: first.upTo })).toMatchObject({
      checked: 3,
      isComplete: true,
      problems: [],
    });
  });
});

const HOUR_MS = 3_600_000;
const RECORD = {
  time: '2026-01-01T00:00:00.000Z',
  service: 'lifecycle',
  user: 'bob',
  groups: [],
  traceId: 't',
  verb: 'delete',
  group: 'g',
  resource: 'things',
  project: '',
  decision: 'denied' as const,
  code: 403,
};

describe('verifyChain', () => {
  it('finds nothing wrong with a log nobody touched, empty or not', async () => {
    expect(await verify()).toEqual({
      checked: 0,
      checkpoints: 0,
      unproven: 0,
      upTo: { seq: 0, hash: '0'.repeat(64) },
      isComplete: true,
      problems: [],
    });
    await write(3);
    await audit.keeper().look();
    await write(2, 4);
    expect(await verify()).toMatchObject({ checked: 5, checkpoints: 1, unproven: 0, isComplete: true, problems: [] });
  });

  it.each([
    {
      name: 'a changed line',
      statements: [CHANGE_THREE],
      want: [{ seq: 3, message: expect.stringContaining('Row 3 does not follow from row 2') }],
    },
    {
      name: 'a changed line with a hash that fits it',
      statements: [
        CHANGE_THREE,
        `UPDATE audit_log AS row SET hash = sha256(before.hash || convert_to('3 ' || row.line, 'UTF8'))
          FROM audit_log AS before WHERE row.seq = 3 AND before.seq = 2`,
      ],
      want: [{ seq: 4, message: expect.stringContaining('Row 4 does not follow from row 3') }],
    },
    {
      name: 'a changed column',
      statements: [`UPDATE audit_log SET user_name = 'eve' WHERE seq = 3`],
      want: [{ seq: 3, message: 'Row 3: its columns are not what its line says' }],
    },
    {
      name: 'a row that is gone',
      statements: ['DELETE FROM audit_log WHERE seq = 3'],
      want: [{ seq: 3, message: 'Row 3 is missing' }],
    },
    {
      name: 'a row that is gone, with the rest moved up',
      statements: [
        'DELETE FROM audit_log WHERE seq = 3',
        'UPDATE audit_log SET seq = seq - 1 WHERE seq > 3',
        REHASH(3),
        'UPDATE audit_head SET seq = seq - 1',
      ],
      want: [{ seq: 4, message: expect.stringContaining('is not the one of the checkpoint') }],
    },
    {
      name: 'an end that is gone',
      statements: ['DELETE FROM audit_log WHERE seq > 4'],
      want: [{ seq: 5, message: 'Rows 5 to 6 are missing at the end' }],
    },
    {
      name: 'an end that is gone, and the head moved back',
      statements: [
        'DELETE FROM audit_log WHERE seq > 2',
        'UPDATE audit_head SET (seq, hash) = (SELECT seq, hash FROM audit_log WHERE seq = 2)',
      ],
      want: [{ seq: 3, message: expect.stringContaining('Rows 3 to 4 are missing at the end: the checkpoint of') }],
    },
    {
      name: 'a chain rewritten from a row on',
      statements: [CHANGE_THREE, REHASH(3)],
      want: [{ seq: 4, message: expect.stringContaining('Row 4 is not the one of the checkpoint') }],
    },
    {
      name: 'a chain rewritten together with its checkpoint',
      statements: [
        CHANGE_THREE,
        REHASH(3),
        'UPDATE audit_checkpoints SET hash = (SELECT hash FROM audit_log WHERE seq = 4)',
      ],
      want: [{ seq: 4, message: 'The checkpoint at row 4 has a wrong signature' }],
    },
    {
      name: 'a beginning that was cut without saying so',
      statements: [
        'UPDATE audit_floor SET (seq, hash) = (SELECT seq, hash FROM audit_log WHERE seq = 2)',
        'DELETE FROM audit_log WHERE seq <= 2',
      ],
      want: [{ seq: 2, message: 'Rows up to 2 are gone, and no later row says that they were cut' }],
    },
    {
      name: 'a head that tells of another row',
      statements: [`UPDATE audit_head SET hash = decode(repeat('ab', 32), 'hex')`],
      want: [{ seq: 6, message: 'Row 6 is not the one that the head tells of' }],
    },
  ])('finds $name, and says where', async ({ statements, want }) => {
    await write(4);
    await audit.keeper().look();
    await write(2, 5);
    await audit.tamper(...statements);

    expect((await verify()).problems).toEqual(want);
  });

  it('is content again once an operator has cut off what was damaged, and the chain tells', async () => {
    await write(4);
    await audit.keeper().look();
    await audit.tamper(CHANGE_THREE);
    expect((await verify()).problems).toHaveLength(1);
    await audit.database.rowsOnce(`SELECT cut_audit_log(3, '{"time": "2026-01-02T00:00:00.000Z", "user": "olga",
      "verb": "cut", "resource": "auditevents", "project": "", "reason": "Restored from a backup"}')`);
    expect(await verify()).toMatchObject({ checked: 2, problems: [] });
    expect((await audit.records()).at(-1)).toMatchObject({ user: 'olga', cut: { from: 1, to: 3 } });
    const keeper = audit.keeper();
    await keeper.look();
    expect(await audit.log.lastCheckpoint()).toMatchObject({ seq: 5 });
  });

  it('believes a beginning that was cut for the thousandth time', async () => {
    await audit.log.append(Array.from({ length: 2_010 }, () => RECORD));
    await audit.database.rowsOnce(`DO $$ BEGIN
      FOR n IN 1..2001 LOOP PERFORM cut_audit_log(n, '{"time": "2026-01-02T00:00:00.000Z", "user": "system:lifecycle",
        "verb": "cut", "resource": "auditevents", "project": ""}'); END LOOP;
    END $$`);
    expect(await verify()).toMatchObject({ checked: 2_010, problems: [] });
  });

  it('begins again where the log begins now, when rows are cut under its hands', async () => {
    await write(5);
    const { log, keys } = audit;
    let isCut = false;
    const cutting = Object.create(log, {
      rowsFrom: {
        value: async (seq: number, limit: number) => {
          if (!isCut) isCut = await log.cut(3, { ...RECORD, verb: 'cut', resource: 'auditevents' });
          return log.rowsFrom(seq, limit);
        },
      },
    }) as typeof log;
    expect(await verifyChain({ log: cutting, keys, limit: 10 })).toMatchObject({ checked: 3, problems: [] });
    expect(isCut).toBe(true);
  });

  it('goes on at the beginning, when where it had got to was cut meanwhile', async () => {
    await write(5);
    const { log, keys } = audit;
    const { upTo: from } = await verifyChain({ log, keys, limit: 1 });
    await log.cut(3, { ...RECORD, verb: 'cut', resource: 'auditevents' });
    expect(await verifyChain({ log, keys, limit: 10, from })).toMatchObject({ checked: 3, problems: [] });
  });

  it('takes a signature of a key that was rotated away for what it is', async () => {
    await write(2);
    await audit.keeper().look();
    const keys = { findRecordKey: () => undefined };
    expect(await verifyChain({ log: audit.log, keys, limit: 10 })).toMatchObject({
      checkpoints: 1,
      unproven: 1,
      problems: [],
    });
  });
});

describe('AuditKeeper', () => {
  it('signs what is new and tells the log, once', async () => {
    const keeper = audit.keeper();
    await write(2);
    await keeper.look();
    await keeper.look();
    await audit.keeper().look();
    const told = audit.logger.lines.filter(({ message }) => message === 'Audit checkpoint');
    expect(told).toHaveLength(1);
    expect(told[0]?.fields).toMatchObject({ seq: 2, hash: (await audit.log.state()).head.hash });
    expect(await audit.log.lastCheckpoint()).toMatchObject({ seq: 2 });
  });

  it('raises the alarm over rows that were changed since, and signs nothing', async () => {
    await write(2);
    const keeper = audit.keeper();
    await keeper.look();
    await write(3, 3);
    await audit.tamper(CHANGE_THREE);
    await keeper.look();

    expect(audit.logger.lines.filter(({ level }) => level === 'error')).toMatchObject([
      { message: 'The audit log is damaged', fields: { seq: 3 } },
    ]);
    expect(await audit.metrics.text()).toContain('crate_audit_chain_problems');
    expect(await audit.log.lastCheckpoint()).toMatchObject({ seq: 2 });
  });

  it('ends the alarm in the same process once an operator has cut off what was damaged', async () => {
    const cut = `SELECT cut_audit_log(3, '{"time": "2026-01-02T00:00:00.000Z", "user": "olga",
      "verb": "cut", "resource": "auditevents", "project": "", "reason": "INC-7"}')`;
    const problems = (): number | undefined => audit.metrics.value('crate_audit_chain_problems');
    const keeper = audit.keeper();
    await write(2);
    await keeper.look();
    await write(2, 3);
    await audit.tamper(CHANGE_THREE);
    await keeper.look();
    expect(problems()).toBe(1);

    await audit.database.rowsOnce(cut);
    await keeper.look();
    expect(problems()).toBe(0);
    expect(await audit.log.lastCheckpoint()).toMatchObject({ seq: 5 });
  });

  it('does not take it for that when the rows it knows of are gone and no row says so', async () => {
    const keeper = audit.keeper();
    await write(2);
    await keeper.look();
    await write(2, 3);
    await audit.tamper('UPDATE audit_floor SET seq = 3, hash = (SELECT hash FROM audit_log WHERE seq = 3)');
    await keeper.look();
    expect(audit.metrics.value('crate_audit_chain_problems')).toBe(1);
    expect(await audit.log.lastCheckpoint()).toMatchObject({ seq: 2 });
  });

  it('cuts what is too old, says so in the chain, and leaves the rest as it is', async () => {
    await write(3);
    audit.now = new Date('2026-03-01T00:00:00.000Z');
    await write(2, 4);
    const keeper = audit.keeper(30 * 24 * HOUR_MS);
    await keeper.look();

    const records = await audit.records();
    expect(records.map(({ verb }) => verb)).toEqual(['create', 'create', 'cut']);
    expect(records[2]).toMatchObject({ reason: 'Retention', cut: { from: 1, to: 3 } });
    expect(await audit.database.rows('SELECT seq FROM audit_log WHERE seq < 4')).toEqual([]);
    expect(await verify()).toMatchObject({ checked: 3, isComplete: true, problems: [] });

    await keeper.look();
    expect(await audit.records()).toHaveLength(3);
    await audit.tamper('UPDATE audit_floor SET seq = 4, hash = (SELECT hash FROM audit_log WHERE seq = 4)');
    expect((await verify()).problems).toMatchObject([
      { seq: 4, message: expect.stringContaining('no later row says') },
    ]);
  });

  it.each([
    { name: 'keeps what came before a row of a host whose clock was behind', time: '2020-01-01T00:00:00.000Z' },
    { name: 'is not kept from cutting by a row of a host whose clock was ahead', time: '2099-01-01T00:00:00.000Z' },
  ])('$name', async ({ time }) => {
    await write(3);
    audit.now = new Date('2026-03-01T00:00:00.000Z');
    const odd = { ...RECORD, time };
    if (time > '2026') await audit.log.append([odd]);
    await write(2, 4);
    if (time < '2026') await audit.log.append([odd]);
    await audit.keeper(30 * 24 * HOUR_MS).look();

    const cuts = (await audit.records()).filter(({ verb }) => verb === 'cut');
    expect(cuts).toMatchObject([{ cut: { from: 1, to: 3 } }]);
  });

  it('cuts rows of a host whose clock was ahead together with what came after them, and not before', async () => {
    audit.now = new Date('2038-01-19T00:00:00.000Z');
    await write(3);
    audit.now = new Date('2026-03-01T00:00:00.000Z');
    await write(2, 4);
    const keeper = audit.keeper(30 * 24 * HOUR_MS);
    await keeper.look();
    expect((await audit.records()).filter(({ verb }) => verb === 'cut')).toEqual([]);

    audit.now = new Date('2026-05-01T00:00:00.000Z');
    await write(1, 6);
    await keeper.look();
    const cuts = (await audit.records()).filter(({ verb }) => verb === 'cut');
    expect(cuts).toMatchObject([{ cut: { from: 1, to: 5 } }]);
  });

  it('cuts the whole of a log in which nothing is new', async () => {
    await write(3);
    audit.now = new Date('2026-03-01T00:00:00.000Z');
    const keeper = audit.keeper(30 * 24 * HOUR_MS);
    await keeper.look();
    await keeper.look();
    expect(await audit.records()).toMatchObject([{ verb: 'cut', cut: { from: 1, to: 3 } }]);
  });

  it('keeps rows that are from the future by the clock of the database where there are no others', async () => {
    await audit.log.append([{ ...RECORD, time: '2099-01-01T00:00:00.000Z' }]);
    await audit.keeper(30 * 24 * HOUR_MS).look();
    expect(await audit.records()).toMatchObject([{ verb: 'delete' }]);
  });

  it('cuts nothing that is too old by the clock of this host alone', async () => {
    await audit.log.append([{ ...RECORD, time: new Date().toISOString() }]);
    audit.now = new Date('2099-01-01T00:00:00.000Z');
    await audit.keeper(30 * 24 * HOUR_MS).look();
    expect(await audit.records()).toMatchObject([{ verb: 'delete' }]);
  });

  it('cuts once an hour at most, so that the log does not fill with rows that tell of cuts', async () => {
    for (const minute of [0, 20, 40]) {
      audit.now = new Date(`2026-01-01T00:${String(minute).padStart(2, '0')}:00.000Z`);
      await write(1, minute);
    }
    const keeper = audit.keeper(30 * 24 * HOUR_MS);
    for (const time of ['00:10', '00:30', '00:50', '01:10', '01:30']) {
      audit.now = new Date(`2026-01-31T${time}:00.000Z`);
      await keeper.look();
    }
    const cuts = (await audit.records()).filter(({ verb }) => verb === 'cut');
    expect(cuts).toMatchObject([{ time: '2026-01-31T01:10:00.000Z', cut: { from: 1, to: 3 } }]);
  });

  it('lets checkpoints go with the rows they are of, and no others', async () => {
    const keeper = audit.keeper(30 * 24 * HOUR_MS);
    await write(3);
    await keeper.look();
    audit.now = new Date('2026-03-01T00:00:00.000Z');
    await write(2, 4);
    await keeper.look();

    expect(await audit.log.checkpoints(0, 10)).toMatchObject([{ seq: 5 }]);
    await expect(audit.database.rowsOnce('DELETE FROM audit_checkpoints')).rejects.toMatchObject({
      cause: { message: 'The audit log is append-only' },
    });
    await audit.keeper().look();
    expect(await verify()).toMatchObject({ checked: 3, checkpoints: 2, problems: [] });
  });
});
