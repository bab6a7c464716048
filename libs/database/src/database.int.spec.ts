import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { eventually, startPostgres, type PostgresServer } from '@crate/testing';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { Database, prismaOptions, sqlStateOf } from './index.js';

let server: PostgresServer;
let url: string;
const opened: Database[] = [];

function open(options: Partial<ConstructorParameters<typeof Database>[0]> = {}): Database {
  const database = new Database({ url, schema: 'cloud_mgmt', ...options });
  opened.push(database);
  return database;
}

beforeAll(async () => {
  server = await startPostgres();
});
afterAll(async () => server.stop());

beforeEach(async () => {
  ({ url } = await server.createDatabase());
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('CREATE SCHEMA cloud_mgmt; CREATE TABLE cloud_mgmt.things (id int PRIMARY KEY, n int NOT NULL)');
  await client.end();
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((database) => database.close()));
});

describe('Database', () => {
  it('reads and writes unqualified names in its own schema', async () => {
    const database = open();

    expect(await database.execute('INSERT INTO things VALUES ($1, $2), (2, 20)', [1, 10])).toBe(2);
    expect(await database.rows('SELECT id FROM cloud_mgmt.things ORDER BY id')).toEqual([{ id: 1 }, { id: 2 }]);
    expect(await database.firstRow('SELECT n FROM things WHERE id = $1', [2])).toEqual({ n: 20 });
    expect(await database.firstRow('SELECT n FROM things WHERE id = $1', [3])).toBeUndefined();
  });

  it('leaves a server that takes no writes any more, and says that it may be tried again', async () => {
    const database = open({ maxConnections: 1 });
    const backend = async (): Promise<unknown> => (await database.rowsOnce('SELECT pg_backend_pid() AS pid'))[0];
    const before = await backend();
    const write = (readOnly: boolean): Promise<unknown> =>
      database.transaction((transaction) => transaction.execute('INSERT INTO things VALUES (1, 1)'), { readOnly });

    await expect(write(true)).rejects.toMatchObject({ code: 'Unavailable' });

    expect(await backend()).not.toEqual(before);
    await write(false);
    expect(await database.rows('SELECT id FROM things')).toEqual([{ id: 1 }]);
  });

  it('tells connections that are all in use from a server that is away', async () => {
    const database = open({ maxConnections: 1 });
    const waiting = { code: 'Unavailable', details: { reason: 'ConnectionsInUse' } };
    await database.transaction(async (outer) => {
      const refused = [database.rows('SELECT 1'), database.transaction(async (inner) => inner.rows('SELECT 1'))];
      const settled = Promise.allSettled(refused);
      // The server ends a transaction that is idle for long, and they wait for almost as long.
      while (!(await Promise.race([settled, delay(1_000)]))) await outer.rows('SELECT 1');
      for (const each of await settled) expect(each).toMatchObject({ status: 'rejected', reason: waiting });
    });
    expect(await database.rowsOnce('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('prepares a text once for each connection, and run-time texts never', async () => {
    const database = open({ maxConnections: 1 });
    for (const id of [1, 2, 3]) await database.firstRow('SELECT n FROM things WHERE id = $1', [id]);
    await database.rowsOnce('SELECT 1 AS one');

    const statements = await database.rowsOnce('SELECT statement FROM pg_prepared_statements');
    expect(statements).toEqual([{ statement: 'SELECT n FROM things WHERE id = $1' }]);
  });

  it('asks for plans by index that are not compiled', async () => {
    const names = ['enable_seqscan', 'jit'];
    const found = await open().rows('SELECT name, setting FROM pg_settings WHERE name = ANY($1) ORDER BY name', [
      names,
    ]);
    expect(found).toEqual(names.map((name) => ({ name, setting: 'off' })));
  });

  it.each(['Cloud', 'a; DROP TABLE things', '', 'pg_catalog', 'a'.repeat(64)])('refuses the schema %j', (schema) => {
    expect(() => open({ schema })).toThrow(expect.objectContaining({ code: 'BadRequest' }));
  });

  it('gives Prisma the same connections', async () => {
    const database = open();
    const adapter = await prismaOptions(database).adapter.connect();
    const result = await adapter.queryRaw({ sql: 'SELECT count(*)::int AS n FROM things', args: [], argTypes: [] });

    expect(result.rows).toEqual([[0]]);
    await adapter.dispose();
    expect(await database.rows('SELECT 1 AS alive')).toEqual([{ alive: 1 }]);
  });
});

describe('Database.inTurn', () => {
  it('has enough connections for work that needs a second one, however many there are at once', async () => {
    const database = open({ maxConnections: 3 });
    const works = Array.from({ length: 12 }, (_, n) =>
      database.inTurn(`turn ${n}`, async () => database.rows(`SELECT ${n} AS n`)),
    );
    expect((await Promise.all(works)).flat()).toEqual(Array.from({ length: 12 }, (_, n) => ({ n })));
  });

  it('lets one at a time do what goes by the same name, in whichever process', async () => {
    const [here, there] = [open(), open()];
    let atWork = 0;
    const work = async (): Promise<void> => {
      expect(++atWork).toBe(1);
      await here.rows('SELECT pg_sleep(0.02)');
      atWork -= 1;
    };
    await Promise.all([here, there, here, there].map((database) => database.inTurn('turn', work)));
  });

  it('gives signs of life while its work is done over other connections, or the server would end it', async () => {
    const database = open();
    const LAST_SIGN = 'SELECT state_change AS at FROM pg_stat_activity WHERE pid = $1';
    await database.inTurn('turn', async (transaction) => {
      const turn = await transaction.firstRow<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      const lastSign = (): Promise<{ at: Date } | undefined> => database.firstRow(LAST_SIGN, [turn?.pid]);
      const begun = await lastSign();
      await eventually(async () => (await lastSign())!.at > begun!.at);
    });
  });

  it('gives no further sign while one waits behind a slow statement', async () => {
    const timer = jest.spyOn(globalThis, 'setInterval');
    await open().inTurn('turn', async (transaction) => {
      const sign = timer.mock.lastCall?.[0] as () => void;
      let pass: (rows: readonly []) => void = () => undefined;
      const slow = new Promise<readonly []>((resolve) => (pass = resolve));
      const signs = jest.spyOn(transaction, 'rows').mockReturnValueOnce(slow);
      for (let time = 0; time < 3; time += 1) sign();
      expect(signs).toHaveBeenCalledTimes(1);
      pass([]);
      await eventually(() => {
        sign();
        return Promise.resolve(signs.mock.calls.length > 1);
      });
    });
    timer.mockRestore();
  });
});

describe('Database.transaction', () => {
  it('commits what the work did and gives its result', async () => {
    const database = open();
    const result = await database.transaction(async (transaction) => {
      await transaction.execute('INSERT INTO things VALUES (1, 1)');
      return 'done';
    });

    expect(result).toBe('done');
    expect(await database.rows('SELECT id FROM things')).toHaveLength(1);
  });

  it('rolls back, rethrows the very error and keeps the connection usable', async () => {
    const database = open({ maxConnections: 1 });
    const failure = new Error('No');
    const work = database.transaction(async (transaction) => {
      await transaction.execute('INSERT INTO things VALUES (1, 1)');
      throw failure;
    });

    await expect(work).rejects.toBe(failure);
    expect(await database.rows('SELECT id FROM things')).toEqual([]);
  });

  it('does not report success when a failed statement was ignored', async () => {
    const database = open();
    const work = database.transaction(async (transaction) => {
      await transaction.execute('INSERT INTO things VALUES (1, 1)');
      await transaction.execute('INSERT INTO things VALUES (1, 1)').catch(() => undefined);
    });

    await expect(work).rejects.toMatchObject({ code: 'Invariant' });
  });

  it('reports a serialization failure as Conflict', async () => {
    const database = open();
    await database.execute('INSERT INTO things VALUES (1, 1)');
    const work = database.transaction(async (transaction) => {
      await transaction.execute('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
      await transaction.rows('SELECT * FROM things');
      await database.execute('UPDATE things SET n = 2');
      await transaction.execute('UPDATE things SET n = n + 1');
    });

    await expect(work).rejects.toMatchObject({ code: 'Conflict' });
  });

  it('reports a deadlock as Conflict to one of the two', async () => {
    const database = open();
    await database.execute('INSERT INTO things VALUES (1, 1), (2, 2)');
    let holding = 0;
    const lockInOrder = (first: number, second: number): Promise<void> =>
      database.transaction(async (transaction) => {
        await transaction.execute('UPDATE things SET n = 0 WHERE id = $1', [first]);
        holding += 1;
        await eventually(() => holding === 2);
        await transaction.execute('UPDATE things SET n = 0 WHERE id = $1', [second]);
      });

    const results = await Promise.allSettled([lockInOrder(1, 2), lockInOrder(2, 1)]);

    const failures = results.filter((result) => result.status === 'rejected');
    expect(failures).toEqual([expect.objectContaining({ reason: expect.objectContaining({ code: 'Conflict' }) })]);
  });
});

describe('errors of the database', () => {
  it('are told apart by code and never quote values', async () => {
    const [database, hasty] = [open(), open({ statementTimeoutMs: 50 })];
    await database.execute('INSERT INTO things VALUES (4711, 1)');
    const failed = async (text: string, on = database): Promise<unknown> =>
      on.rows(text).catch((error: unknown) => error);

    const duplicate = await failed('INSERT INTO things VALUES (4711, 1)');
    expect(duplicate).toMatchObject({ code: 'AlreadyExists', message: expect.not.stringContaining('4711') });
    expect(sqlStateOf(duplicate)).toBe('23505');
    expect(await failed('SELECT pg_sleep(60)', hasty)).toMatchObject({ code: 'Timeout' });
    expect(await failed('SELECT nonsense')).toMatchObject({ code: 'Invariant' });
  });

  it('say Unavailable while the server is away, and queries work again once it is back', async () => {
    const database = open();
    await database.rows('SELECT 1');
    const inFlight = database.rows('SELECT pg_sleep(20)');
    const held = database.transaction(async (transaction) => {
      await eventually(() => (isAlive(server.pid) ? false : undefined));
      await transaction.rows('SELECT 1');
    });
    const outcomes = Promise.allSettled([inFlight, held]);
    process.kill(server.pid, 'SIGKILL');

    expect(await outcomes).toMatchObject([{ reason: { code: 'Unavailable' } }, { reason: { code: 'Unavailable' } }]);
    await expect(database.rows('SELECT 1')).rejects.toMatchObject({ code: 'Unavailable' });

    await server.restart();
    expect(await database.rows('SELECT 1 AS alive')).toEqual([{ alive: 1 }]);
  });
});

describe('a server that is silent', () => {
  /** Takes what it is sent and passes nothing on, as a host that vanished without a word. */
  async function silent(): Promise<{ readonly url: string; fallSilent(): void }> {
    const target = new URL(url);
    const port = Number(target.port);
    const sockets: Socket[] = [];
    const relay = createServer((client) => {
      const upstream = connect(port, target.hostname);
      sockets.push(client, upstream);
      client.pipe(upstream).pipe(client);
      for (const socket of [client, upstream]) socket.on('error', () => undefined);
    });
    relays.push({ relay, sockets });
    await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
    target.port = String((relay.address() as AddressInfo).port);
    return { url: target.href, fallSilent: () => sockets.forEach((socket) => socket.unpipe().resume()) };
  }

  const relays: { relay: Server; sockets: readonly Socket[] }[] = [];
  afterEach(() => {
    for (const { relay, sockets } of relays.splice(0)) {
      for (const socket of sockets) socket.destroy();
      relay.close();
    }
  });

  it('is not waited for without end, and its connections are of no more use', async () => {
    const server = await silent();
    const database = open({ url: server.url, statementTimeoutMs: 10_000, maxConnections: 2 });
    await Promise.all([database.rows('SELECT pg_sleep(0.05)'), database.rows('SELECT pg_sleep(0.05)')]);
    const write = database.transaction(async (transaction) => {
      await transaction.execute('INSERT INTO things VALUES (1, 1)');
      server.fallSilent();
    });
    const read = database.rows('SELECT pg_sleep(60)');

    expect(await Promise.allSettled([write, read])).toMatchObject([
      { reason: { code: 'Unavailable' } },
      { reason: { code: 'Unavailable' } },
    ]);
    expect(await database.rows('SELECT id FROM things')).toEqual([]);
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
