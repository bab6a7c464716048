import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { Database, migrate } from '@crate/database';
import { startPostgres, type PostgresServer } from '@crate/testing';
import { LIFECYCLE_MIGRATIONS } from '../migrations.js';
import { aReport } from '../testing/a-report.js';
import { PostgresReportMemory } from './report-memory.js';

const SERVICE = 'cloud-mgmt';

let postgres: PostgresServer;
let database: Database;
let memory: PostgresReportMemory;
beforeAll(async () => {
  postgres = await startPostgres();
  const { url } = await postgres.createDatabase();
  await migrate({ url, schema: 'lifecycle', directories: [LIFECYCLE_MIGRATIONS] });
  database = new Database({ url, schema: 'lifecycle' });
  memory = new PostgresReportMemory(database);
});
beforeEach(async () => memory.save(aReport({ service: SERVICE, at: '2026-01-01T00:00:00Z' })));
afterAll(async () => {
  await database.close();
  await postgres.stop();
});

it('tells what a service said last, and how long ago', async () => {
  await database.execute("UPDATE service_reports SET told_at = now() - interval '3 hours'");
  const found = await memory.find(SERVICE);
  expect(found?.report.at).toBe('2026-01-01T00:00:00Z');
  expect(found?.ageMs).toBeGreaterThanOrEqual(3 * 3_600_000);
  expect(await memory.find('policy-mgmt')).toBeUndefined();
});

it('takes the newest word also when the clock of the database was ahead of itself', async () => {
  await database.execute("UPDATE service_reports SET told_at = now() + interval '3 hours'");
  expect((await memory.find(SERVICE))?.ageMs).toBe(0);

  await memory.save(aReport({ service: SERVICE, at: '2026-01-01T00:00:10Z' }));
  expect((await memory.find(SERVICE))?.report.at).toBe('2026-01-01T00:00:10Z');
  expect(await database.rows('SELECT 1 FROM service_reports WHERE told_at > now()')).toEqual([]);
});
