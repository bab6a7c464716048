import { randomUUID } from 'node:crypto';
import { Database, migrate } from '@crate/database';
import { resourceStoreMigrations } from '@crate/resource-store';
import { startPostgres, type PostgresServer } from '@crate/testing';
import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, it } from '@jest/globals';
import { CLOUD_MGMT_MIGRATIONS } from '../migrations.js';
import { PrismaTerraformRunRepository } from '../terraform-run/prisma-terraform-run.repository.js';
import { LockView } from '../terraform-state/lock-view.js';
import { PostgresStateLocks } from '../terraform-state/postgres-state-locks.js';
import { cloudStatus } from './cloud-status.js';

let server: PostgresServer;
let database: Database;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(async () => server.stop());
beforeEach(async () => {
  const { url } = await server.createDatabase();
  await migrate({ url, schema: 'cloud_mgmt', directories: [resourceStoreMigrations, ...CLOUD_MGMT_MIGRATIONS] });
  database = new Database({ url, schema: 'cloud_mgmt', maxConnections: 3 });
  const object = { metadata: { uid: 'u1' } };
  await database.execute(
    `INSERT INTO resources (uid, api_group, kind, namespace, name, revision, object)
     VALUES ('u1', 'cloud.crate.dev', 'Infrastructure', 'team-a', 'demo', 1, $1)`,
    [JSON.stringify(object)],
  );
});
afterEach(async () => database.close());

describe('what cloud-mgmt tells of itself', () => {
  it('is which runs go on for which Infrastructure, and who holds its state: dead ones are orphaned', async () => {
    const [runs, locks] = [new PrismaTerraformRunRepository(database), new PostgresStateLocks(database)];
    const view = new LockView({ runs, locks, silentAfterMs: 142_000 });
    const status = cloudStatus({ database }, { runs, locks, view });
    const id = randomUUID();
    await runs.open({ id, infrastructureUid: 'u1', kind: 'apply', epoch: 7n, generation: 1 });
    await locks.acquire({
      infrastructureUid: 'u2',
      id: 'by-hand',
      holder: 'vera',
      operation: 'OperationTypePlan',
      info: '',
    });

    const run = { program: 'terraform', operation: 'apply', namespace: 'team-a', name: 'demo', epoch: '7' };
    expect(await status.runs?.()).toMatchObject([{ ...run, state: 'live' }]);
    const lock = { kind: 'TerraformState', task: 'apply', namespace: 'team-a', name: 'demo', epoch: '7' };
    // What is gone from the resources is named by its uid.
    const byHand = { kind: 'TerraformState', holder: 'vera', name: 'u2', state: 'live' };
    expect(await status.leases?.()).toMatchObject([{ ...lock, state: 'live' }, byHand]);

    await database.execute(`UPDATE terraform_runs SET heartbeat_at = heartbeat_at - interval '2 min'`);
    await database.execute(`UPDATE terraform_state_locks SET seen_at = seen_at - interval '2 h'`);
    expect(await status.runs?.()).toMatchObject([{ ...run, state: 'orphaned' }]);
    expect((await status.leases?.())?.map(({ state }) => state)).toEqual(['orphaned', 'orphaned']);

    await runs.close(id, 'succeeded');
    expect(await status.runs?.()).toEqual([]);
  });
});
