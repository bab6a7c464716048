import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Database, migrate } from '@crate/database';
import { startPostgres, type PostgresServer } from '@crate/testing';
import { LIFECYCLE_MIGRATIONS } from '../migrations.js';
import { InMemoryUpgradeLock, PostgresUpgradeLock, type UpgradeLock } from './upgrade-lock.js';

const HOUR_MS = 3_600_000;
const TIMERS = ['nextTick', 'setImmediate', 'setInterval', 'setTimeout', 'performance', 'hrtime'] as const;

let postgres: PostgresServer;
let database: Database;
beforeAll(async () => {
  postgres = await startPostgres();
  const { url } = await postgres.createDatabase();
  await migrate({ url, schema: 'lifecycle', directories: [LIFECYCLE_MIGRATIONS] });
  database = new Database({ url, schema: 'lifecycle' });
});
afterAll(async () => {
  await database?.close();
  await postgres?.stop();
});
beforeEach(async () => {
  await database.execute('DELETE FROM component_upgrade', []);
});

// One contract, for the one that tests use as well.
describe.each<{ name: string; open: () => UpgradeLock }>([
  { name: 'PostgresUpgradeLock', open: () => new PostgresUpgradeLock(database) },
  { name: 'InMemoryUpgradeLock', open: () => new InMemoryUpgradeLock() },
])('$name', ({ open }) => {
  it('is had by one at a time, as often as that one asks', async () => {
    const lock = open();
    expect(await lock.acquire('policy-mgmt')).toBe(true);
    expect(await lock.acquire('policy-mgmt')).toBe(true);
    expect(await lock.acquire('lifecycle')).toBe(false);
  });

  it('is released by who has it alone', async () => {
    const lock = open();
    await lock.acquire('policy-mgmt');
    await lock.release('lifecycle');
    expect(await lock.acquire('lifecycle')).toBe(false);
    await lock.release('policy-mgmt');
    await lock.release('policy-mgmt');
    expect(await lock.acquire('lifecycle')).toBe(true);
  });

  it('is had by exactly one of many that ask at once', async () => {
    const lock = open();
    const names = Array.from({ length: 20 }, (_, index) => `component-${index}`);
    const had = await Promise.all(names.map((name) => lock.acquire(name)));
    expect(had.filter(Boolean)).toHaveLength(1);
  });

  it('tells a time that the clock of this host does not move', async () => {
    const lock = open();
    const before = await lock.now();
    // The clock alone: the database is waited for as ever.
    jest.useFakeTimers({ now: Date.now() + HOUR_MS, doNotFake: [...TIMERS] });
    try {
      expect((await lock.now()).getTime() - before.getTime()).toBeLessThan(HOUR_MS);
    } finally {
      jest.useRealTimers();
    }
  });
});
