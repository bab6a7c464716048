import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startPostgres, type PostgresServer } from '@crate/testing';
import { AuditFixture, CHANGE_THREE, RECORD } from './testing/audit-fixture.js';

const HOUR_MS = 3_600_000;

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

describe('AuditKeeper', () => {
  it('signs what is new and tells the log, once', async () => {
    const keeper = audit.keeper();
    await audit.write(2);
    await keeper.look();
    await keeper.look();
    await audit.keeper().look();
    const told = audit.logger.lines.filter(({ message }) => message === 'Audit checkpoint');
    expect(told).toHaveLength(1);
    expect(told[0]?.fields).toMatchObject({ seq: 2, hash: (await audit.log.state()).head.hash });
    expect(await audit.log.lastCheckpoint()).toMatchObject({ seq: 2 });
  });

  it('raises the alarm over rows that were changed since, and signs nothing', async () => {
    await audit.write(2);
    const keeper = audit.keeper();
    await keeper.look();
    await audit.write(3, 3);
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
    await audit.write(2);
    await keeper.look();
    await audit.write(2, 3);
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
    await audit.write(2);
    await keeper.look();
    await audit.write(2, 3);
    await audit.tamper('UPDATE audit_floor SET seq = 3, hash = (SELECT hash FROM audit_log WHERE seq = 3)');
    await keeper.look();
    expect(audit.metrics.value('crate_audit_chain_problems')).toBe(1);
    expect(await audit.log.lastCheckpoint()).toMatchObject({ seq: 2 });
  });

  it('cuts what is too old, says so in the chain, and leaves the rest as it is', async () => {
    await audit.write(3);
    audit.now = new Date('2026-03-01T00:00:00.000Z');
    await audit.write(2, 4);
    const keeper = audit.keeper(30 * 24 * HOUR_MS);
    await keeper.look();

    const records = await audit.records();
    expect(records.map(({ verb }) => verb)).toEqual(['create', 'create', 'cut']);
    expect(records[2]).toMatchObject({ reason: 'Retention', cut: { from: 1, to: 3 } });
    expect(await audit.database.rows('SELECT seq FROM audit_log WHERE seq < 4')).toEqual([]);
    expect(await audit.verify()).toMatchObject({ checked: 3, isComplete: true, problems: [] });

    await keeper.look();
    expect(await audit.records()).toHaveLength(3);
    await audit.tamper('UPDATE audit_floor SET seq = 4, hash = (SELECT hash FROM audit_log WHERE seq = 4)');
    expect((await audit.verify()).problems).toMatchObject([
      { seq: 4, message: expect.stringContaining('no later row says') },
    ]);
  });

  it.each([
    { name: 'keeps what came before a row of a host whose clock was behind', time: '2020-01-01T00:00:00.000Z' },
    { name: 'is not kept from cutting by a row of a host whose clock was ahead', time: '2099-01-01T00:00:00.000Z' },
  ])('$name', async ({ time }) => {
    await audit.write(3);
    audit.now = new Date('2026-03-01T00:00:00.000Z');
    const odd = { ...RECORD, time };
    if (time > '2026') await audit.log.append([odd]);
    await audit.write(2, 4);
    if (time < '2026') await audit.log.append([odd]);
    await audit.keeper(30 * 24 * HOUR_MS).look();

    const cuts = (await audit.records()).filter(({ verb }) => verb === 'cut');
    expect(cuts).toMatchObject([{ cut: { from: 1, to: 3 } }]);
  });

  it('cuts rows of a host whose clock was ahead together with what came after them, and not before', async () => {
    audit.now = new Date('2038-01-19T00:00:00.000Z');
    await audit.write(3);
    audit.now = new Date('2026-03-01T00:00:00.000Z');
    await audit.write(2, 4);
    const keeper = audit.keeper(30 * 24 * HOUR_MS);
    await keeper.look();
    expect((await audit.records()).filter(({ verb }) => verb === 'cut')).toEqual([]);

    audit.now = new Date('2026-05-01T00:00:00.000Z');
    await audit.write(1, 6);
    await keeper.look();
    const cuts = (await audit.records()).filter(({ verb }) => verb === 'cut');
    expect(cuts).toMatchObject([{ cut: { from: 1, to: 5 } }]);
  });

  it('cuts the whole of a log in which nothing is new', async () => {
    await audit.write(3);
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
      await audit.write(1, minute);
    }
    const keeper = audit.keeper(30 * 24 * HOUR_MS);
    for (const time of ['00:10', '00:30', '00:50', '01:10', '01:30']) {
      audit.now = new Date(`2026-01-31T${time}:00.000Z`);
      await keeper.look();
    }
    const cuts = (await audit.records()).filter(({ verb }) => verb === 'cut');
    expect(cuts).toMatchObject([{ time: '2026-01-31T01:10:00.000Z', cut: { from: 1, to: 3 } }]);
  });

  it('finds that nothing is old by the old end of the log, however long that is', async () => {
    await audit.database.rowsOnce(
      `INSERT INTO audit_log SELECT seq, '2026-01-01T00:00:00.000Z', 'ada', '', 'create', 'projects', '{}', ''
        FROM generate_series(1, 20000) AS seq`,
    );
    await audit.database.rowsOnce('ANALYZE audit_log');
    // More often than PostgreSQL plans for the values of each call.
    for (let look = 0; look < 7; look += 1)
      expect(await audit.log.lastBefore('2025-01-01T00:00:00.000Z')).toBeUndefined();
    const [statement] = await audit.database.rowsOnce<{ name: string; general: number }>(
      `SELECT name, generic_plans::int AS general FROM pg_prepared_statements WHERE statement LIKE '%time < $1%'`,
    );
    expect(statement?.general).toBeGreaterThan(0);
    const plan = await audit.database.rowsOnce(
      `EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE ${statement?.name}('2025-01-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z')`,
    );
    const leftOut = [...JSON.stringify(plan).matchAll(/"Rows Removed by Filter":(\d+)/gu)].map(([, rows]) =>
      Number(rows),
    );
    expect(leftOut.length).toBeGreaterThan(0);
    expect(Math.max(...leftOut)).toBe(0);
  });

  it('lets checkpoints go with the rows they are of, and no others', async () => {
    const keeper = audit.keeper(30 * 24 * HOUR_MS);
    await audit.write(3);
    await keeper.look();
    audit.now = new Date('2026-03-01T00:00:00.000Z');
    await audit.write(2, 4);
    await keeper.look();

    expect(await audit.log.checkpoints(0, 10)).toMatchObject([{ seq: 5 }]);
    await expect(audit.database.rowsOnce('DELETE FROM audit_checkpoints')).rejects.toMatchObject({
      cause: { message: 'The audit log is append-only' },
    });
    await audit.keeper().look();
    expect(await audit.verify()).toMatchObject({ checked: 3, checkpoints: 2, problems: [] });
  });
});
