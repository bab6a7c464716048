import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startPostgres, type PostgresServer } from '@crate/testing';
import { ADA, AuditFixture, aProject, CHANGE_THREE, PROJECTS, RECORD } from './testing/audit-fixture.js';
import { verifyChain } from './verify-chain.js';

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

describe('the audit log', () => {
  it('refuses to change or remove what is in it', async () => {
    await audit.write(2);
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
    expect(await audit.verify()).toMatchObject({ checked: 2, problems: [] });
  });

  it('tells another epoch each time that its database is set back, also to the same point', async () => {
    expect((await audit.log.state()).epoch).toBe(0);
    for (const second of ['10', '11']) {
      await audit.database.execute('UPDATE recovery SET epoch = 1, begun_at = $1', [`2026-11-26T16:00:${second}.9Z`]);
      expect((await audit.log.state()).epoch).toBe(Date.parse(`2026-11-26T16:00:${second}Z`) / 1000);
    }
  });

  it('ends a look for a few in time, however long the log is, and tells how far it looked', async () => {
    await audit.log.append([RECORD]);
    await audit.tamper('UPDATE audit_head SET seq = 250000');
    await audit.log.append([{ ...RECORD, code: 409 }]);
    const looks: number[] = [];
    const found: number[] = [];
    for (let after = 0; after < 250_001; after = looks.at(-1) ?? Infinity) {
      const conditions = [{ field: 'code' as const, isEqual: true, value: '409' }];
      const { rows, readTo } = await audit.log.read({ after, limit: 500, conditions });
      looks.push(readTo);
      found.push(...rows.map(({ seq }) => seq));
    }
    expect(looks).toEqual([100_000, 200_000, 250_001]);
    expect(found).toEqual([250_001]);
  });

  it('stays one chain when many replicas write at once', async () => {
    const replicas = [audit.store, audit.replica(), audit.replica()];
    const writes = Array.from({ length: 150 }, (_, n) =>
      audit.apiOn(replicas[n % 3]!).create(PROJECTS, aProject(`team-${n}`), {}, ADA),
    );
    const refusals = Array.from({ length: 50 }, () => audit.log.append([{ ...RECORD }]));
    await Promise.all([...writes, ...refusals]);
    await Promise.all([replicas[1]?.close(), replicas[2]?.close()]);

    expect(await audit.verify()).toMatchObject({ checked: 200, isComplete: true, problems: [] });
    const versions = (await audit.records()).flatMap(({ resourceVersion }) => resourceVersion ?? []);
    expect(versions.map(Number)).toEqual(versions.map(Number).sort((a, b) => a - b));
    expect(new Set(versions).size).toBe(150);
  });

  it('is verified in parts as well', async () => {
    await audit.write(5);
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

describe('verifyChain', () => {
  it('finds nothing wrong with a log nobody touched, empty or not', async () => {
    expect(await audit.verify()).toEqual({
      checked: 0,
      checkpoints: 0,
      unproven: 0,
      upTo: { seq: 0, hash: '0'.repeat(64) },
      isComplete: true,
      problems: [],
    });
    await audit.write(3);
    await audit.keeper().look();
    await audit.write(2, 4);
    expect(await audit.verify()).toMatchObject({
      checked: 5,
      checkpoints: 1,
      unproven: 0,
      isComplete: true,
      problems: [],
    });
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
    await audit.write(4);
    await audit.keeper().look();
    await audit.write(2, 5);
    await audit.tamper(...statements);

    expect((await audit.verify()).problems).toEqual(want);
  });

  it('is content again once an operator has cut off what was damaged, and the chain tells', async () => {
    await audit.write(4);
    await audit.keeper().look();
    await audit.tamper(CHANGE_THREE);
    expect((await audit.verify()).problems).toHaveLength(1);
    await audit.database.rowsOnce(`SELECT cut_audit_log(3, '{"time": "2026-01-02T00:00:00.000Z", "user": "olga",
      "verb": "cut", "resource": "auditevents", "project": "", "reason": "Restored from a backup"}')`);
    expect(await audit.verify()).toMatchObject({ checked: 2, problems: [] });
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
    expect(await audit.verify()).toMatchObject({ checked: 2_010, problems: [] });
  });

  it('begins again where the log begins now, when rows are cut under its hands', async () => {
    await audit.write(5);
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
    await audit.write(5);
    const { log, keys } = audit;
    const { upTo: from } = await verifyChain({ log, keys, limit: 1 });
    await log.cut(3, { ...RECORD, verb: 'cut', resource: 'auditevents' });
    expect(await verifyChain({ log, keys, limit: 10, from })).toMatchObject({ checked: 3, problems: [] });
  });

  it('takes a signature of a key that was rotated away for what it is', async () => {
    await audit.write(2);
    await audit.keeper().look();
    const keys = { findRecordKey: () => undefined };
    expect(await verifyChain({ log: audit.log, keys, limit: 10 })).toMatchObject({
      checkpoints: 1,
      unproven: 1,
      problems: [],
    });
  });
});
