import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CratePlatform } from '@crate/testing';
import { CrateUser, small } from '../crate-user.js';
import { OwnPostgres, systemPostgres } from './own-postgres.js';

const CLUSTERS = ['lifecycle.crate.dev/v1alpha1', 'Cluster'] as const;
const SERVICES = ['policy-mgmt', 'cloud-mgmt', 'cluster-mgmt', 'lifecycle'];
const programs = systemPostgres();
const where = programs === undefined ? describe.skip : describe;

where('a PostgreSQL of one\'s own [needs "apt-get install postgresql"]', () => {
  let postgres: OwnPostgres;
  let platform: CratePlatform;
  let user: CrateUser;
  let machines: readonly string[];

  beforeAll(async () => {
    postgres = await OwnPostgres.start(programs ?? '');
    platform = await CratePlatform.start({ databaseUrlFile: postgres.urlFile });
    user = await CrateUser.of(platform);
  });
  afterAll(async () => {
    await platform?.remove();
    await postgres?.remove();
  });

  async function machineIds(): Promise<readonly string[]> {
    const all = await platform.inventory();
    return all.flatMap(({ type, id }) => (type === 'aws_instance' ? [id] : [])).sort();
  }

  async function scale(replicas: number): Promise<void> {
    await user.applyDemo('demo', (spec) => {
      small(spec);
      spec['nodePools'] = [{ name: 'workers', replicas, machineType: 'm5.xlarge' }];
    });
  }

  it('runs a platform, beside which none of ours is started', async () => {
    expect(Object.keys(await platform.processes())).not.toContain('postgres');
    await user.applyQuickstart('demo', small);
    await scale(2);
    await user.untilReady();
  });

  it('is dumped while everything goes on, and holds no key or password in the open', async () => {
    await postgres.dump();
    await scale(3);
    await user.untilReady();
    machines = await machineIds();
    expect(await postgres.dumped()).not.toMatch(/BEGIN [A-Z ]*PRIVATE KEY/);
  });

  it('is restored into a server that knew nothing, which every service notices', async () => {
    await platform.crate('down');
    await postgres.startAnew();
    await postgres.restore();
    await platform.up();
    const status = await platform.crate('recovery');
    for (const service of ['lifecycle', 'cloud-mgmt', 'cluster-mgmt']) {
      expect(status).toMatch(new RegExp(`${service}\\s+Recovering`));
    }
    // Of before the dump.
    const { items } = await user.api.list(...CLUSTERS);
    expect(items).toMatchObject([{ metadata: { name: 'demo' }, spec: { nodePools: [{ replicas: 2 }] } }]);
    await user.until('demo', ({ status: told }) => /demo-workers-2; nobody asks/.test(told?.progress?.message ?? ''));
    expect(await machineIds()).toEqual(machines);
  });

  it('takes over what is there once it is asked for again, and leaves nothing behind in the end', async () => {
    await scale(3);
    await user.untilReady();
    expect(await machineIds()).toEqual(machines);
    await postgres.recovery('confirm', '--by', 'ada');
    await user.delete();
    await user.untilGone();
    expect(await machineIds()).toEqual([]);
  });

  it('is said to be restored by a person, who is no superuser, where no marker is left to notice it', async () => {
    await expect(postgres.recovery('begin')).rejects.toThrow(/Stop them first/);
    await platform.crate('down');
    for (const service of SERVICES) await rm(join(platform.directory, 'services', service, 'memory.json'));
    await postgres.startAnewForAnOwner();
    await postgres.restoreAsOwner();
    expect(await postgres.recovery('begin', '--reason', 'A new host')).toBe(`Begun for ${SERVICES.join(', ')}\n`);

    await platform.up();
    const status = await postgres.recovery('status');
    for (const service of SERVICES) expect(status).toMatch(new RegExp(`${service}\\s+Recovering.*A new host`));
  });
});
