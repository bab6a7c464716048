import type { KubeObject, ObjectMeta } from '@crate/api';
import { Database, migrate } from '@crate/database';
import { PostgresResourceStore, resourceStoreMigrations } from '@crate/resource-store';
import { SECRETS_MIGRATIONS } from '@crate/secrets';
import { eventually, startPostgres, type PostgresServer } from '@crate/testing';
import { WORK_QUEUE_MIGRATIONS } from '@crate/work-queue';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SERVICE_ORDER } from '../up/service-order.js';
import { beginRecoveries } from './begin-recovery.js';
import { confirmRecoveries, listRecoveries, takeBackCluster } from './recoveries.js';
import { openSchema, platformAt } from './service-schema.js';

let server: PostgresServer;
let url: string;

beforeAll(async () => {
  server = await startPostgres();
});
afterAll(async () => server.stop());
beforeEach(async () => {
  ({ url } = await server.createDatabase());
  for (const service of SERVICE_ORDER) {
    const schema = service.replaceAll('-', '_');
    const directories = [resourceStoreMigrations, WORK_QUEUE_MIGRATIONS, SECRETS_MIGRATIONS];
    await migrate({ url, schema, directories });
    await migrate({ url, schema: `${schema}_events`, directories: [resourceStoreMigrations] });
  }
});

async function rows(sql: string, part?: 'events'): Promise<readonly Record<string, unknown>[]> {
  const database = openSchema(platformAt(url), 'cloud-mgmt', part);
  try {
    return await database.rowsOnce(sql);
  } finally {
    await database.close();
  }
}

function widget(): KubeObject {
  return { apiVersion: 'test/v1', kind: 'Widget', metadata: { name: 'w', namespace: 'a' } as ObjectMeta, spec: {} };
}

/** Until so many connections to the database wait for a lock. */
async function areWaiting(count: number): Promise<void> {
  const sql = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  await eventually(async () => expect(await rows(sql)).toHaveLength(count));
}

describe('a recovery that is begun by hand', () => {
  it('is one of every service, until somebody confirms', async () => {
    expect(await beginRecoveries(url, 'The disk was lost')).toEqual([...SERVICE_ORDER]);
    const recovering = { epoch: 1, reason: 'The disk was lost', begunAt: expect.any(Date), confirmedAt: null };
    expect(await listRecoveries(url)).toEqual(
      SERVICE_ORDER.map((service) => expect.objectContaining({ service, ...recovering })),
    );

    expect(await confirmRecoveries(url, 'ada')).toEqual([...SERVICE_ORDER]);
    expect(await confirmRecoveries(url, 'ada')).toEqual([]);
  });

  it('lets nothing count that anybody saw since the backup', async () => {
    await rows(`INSERT INTO work_items (reconciler, namespace, name, due_at, lease_until)
      VALUES ('cluster', 'team-a', 'demo', now(), now() + interval '1 hour')`);
    await beginRecoveries(url, 'The disk was lost');

    for (const part of [undefined, 'events'] as const) {
      expect(await rows('SELECT revision >= 1000000000 AS "isBeyond" FROM resource_head', part)).toEqual([
        { isBeyond: true },
      ]);
    }
    expect(await rows('SELECT lease_until FROM work_items')).toEqual([{ lease_until: null }]);
    expect(await rows('SELECT last_value >= 1000000000 AS "isBeyond" FROM work_epochs')).toEqual([{ isBeyond: true }]);
  });

  it('is begun anew where one was open in the backup', async () => {
    await beginRecoveries(url, 'The disk was lost');
    await beginRecoveries(url, 'The next one, too');
    const again = { epoch: 2, reason: 'The next one, too', confirmedAt: null };
    expect(await listRecoveries(url)).toContainEqual(expect.objectContaining(again));
  });

  it('gives no revision twice where the same backup is restored twice', async () => {
    const restore = (): Promise<unknown> => rows('UPDATE resource_head SET revision = 7');
    const head = async (): Promise<number> =>
      Number((await rows('SELECT revision FROM resource_head'))[0]?.['revision']);
    await restore();
    await beginRecoveries(url, 'The disk was lost');
    const first = await head();
    await restore();
    await beginRecoveries(url, 'Once more');
    expect(await head()).toBeGreaterThan(first);
  });

  it('is not undone by a write that is under way', async () => {
    const database = new Database({ url, schema: 'cloud_mgmt', maxConnections: 2 });
    const store = new PostgresResourceStore({ database });
    const done: Promise<unknown>[] = [];
    // Whoever forgets changes holds the floor: so the recovery stands still once it has moved the revision.
    await database.transaction(async (transaction) => {
      await transaction.execute('SELECT FROM resource_floor FOR UPDATE');
      done.push(beginRecoveries(url, 'The disk was lost'));
      await areWaiting(1);
      done.push(store.create(widget()));
      await areWaiting(2);
    });
    await Promise.all(done);
    const { head, floor } = await store.observe();
    expect(head).toBe(floor + 1);
    await store.close();
    await database.close();
  });

  it('is one of the services that there are: a platform of one cluster has no cloud-mgmt', async () => {
    await rows('DROP SCHEMA cloud_mgmt, cloud_mgmt_events CASCADE');
    await rows('CREATE SCHEMA cloud_mgmt');
    await rows('CREATE SCHEMA cloud_mgmt_events');
    const three = ['policy-mgmt', 'cluster-mgmt', 'lifecycle'];

    expect(await beginRecoveries(url, 'The disk was lost')).toEqual(three);
    expect((await listRecoveries(url)).map(({ service }) => service)).toEqual(three);
    expect(await confirmRecoveries(url, 'ada')).toEqual(three);
    const request = { namespace: 'team-a', name: 'demo', by: 'ada', warn: () => undefined };
    await expect(takeBackCluster(url, request, url)).rejects.toMatchObject({ message: expect.stringMatching(/demo/) });
  });

  it('says of a database without Crate that it is one', async () => {
    const other = (await server.createDatabase()).url;
    const refused = { code: 'NotFound', message: "The platform's database has no installation of Crate in it" };
    await expect(beginRecoveries(other, 'The disk was lost')).rejects.toMatchObject(refused);
    await expect(listRecoveries(other)).rejects.toMatchObject(refused);
  });

  it('is refused while a service runs', async () => {
    const running = new Database({ url, schema: 'cloud_mgmt', applicationName: 'cloud-mgmt', maxConnections: 1 });
    try {
      await running.rows('SELECT 1');
      const refused = { code: 'Conflict', message: expect.stringMatching(/cloud-mgmt\. Stop them first/) };
      await expect(beginRecoveries(url, 'The disk was lost')).rejects.toMatchObject(refused);
    } finally {
      await running.close();
    }
    expect(await listRecoveries(url)).toContainEqual(expect.objectContaining({ epoch: 0, begunAt: null }));
  });
});
