import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Infrastructure } from '@crate/api';
import { CratePlatform, eventually } from '@crate/testing';
import pg from 'pg';
import { CrateUser, small } from './crate-user.js';
import { whileHeld } from './held-runs.js';
import { StockTerraform } from './stock-terraform.js';

const PATIENCE = { timeoutMs: 200_000 };
const INFRASTRUCTURE = { apiVersion: 'cloud.crate.dev/v1alpha1', kind: 'Infrastructure', namespace: 'team-a' } as const;
const LOCK = { ID: 'lock-of-vera', Operation: 'OperationTypeApply', Info: '', Who: 'vera@laptop', Version: '1.11.4' };

let platform: CratePlatform;
let user: CrateUser;
let stock: StockTerraform;

beforeAll(async () => {
  platform = await CratePlatform.start({ settings: { CRATE_RECONCILE_BACKOFF_CAP_MS: '3s' } });
  user = await CrateUser.of(platform);
  await user.applyQuickstart('demo', sized(2));
  await user.untilReady();
  stock = await StockTerraform.open(platform, user, process.env['PATH']);
});
afterAll(async () => platform?.remove());

const terraform: StockTerraform['run'] = (...args) => stock.run(...args);
const send: StockTerraform['send'] = (...args) => stock.send(...args);

async function infrastructure(): Promise<Infrastructure> {
  return (await user.api.find({ ...INFRASTRUCTURE, name: 'demo' })) as unknown as Infrastructure;
}

async function until(holds: (found: Infrastructure) => boolean): Promise<Infrastructure> {
  return eventually(async () => {
    const found = await infrastructure();
    if (holds(found)) return found;
    throw new Error(`Not yet: ${JSON.stringify(found.status, undefined, 1)}`);
  }, PATIENCE);
}

/** The status follows the lock a moment later. */
async function untilUnlocked(): Promise<void> {
  await until(({ status }) => status?.lock === undefined);
}

/** One control-plane machine, and this many workers. */
function sized(replicas: number): (spec: Record<string, unknown>) => void {
  return (spec) => {
    small(spec);
    spec['nodePools'] = [{ name: 'workers', replicas, machineType: 'm5.xlarge' }];
  };
}

async function scaleWorkers(replicas: number): Promise<void> {
  await user.applyDemo('demo', sized(replicas));
}

const workers = async (): Promise<number> =>
  (await platform.inventory()).filter(({ type }) => type === 'aws_instance').length;

/** Every lock that was ever shown in the status, in order; `undefined` while nobody held it. */
class WatchedLocks {
  readonly seen: NonNullable<Infrastructure['status']>['lock'][] = [];
  private readonly ended = new AbortController();
  private readonly following: Promise<void>;

  constructor(
    private readonly by: CrateUser,
    resourceVersion: string | undefined,
  ) {
    this.following = this.follow(resourceVersion);
  }

  async stop(): Promise<void> {
    this.ended.abort();
    await this.following;
  }

  private async follow(resourceVersion = ''): Promise<void> {
    const { apiVersion, kind, namespace } = INFRASTRUCTURE;
    const options = { namespace, timeoutMs: 60_000 };
    for (let from = resourceVersion; !this.ended.signal.aborted;) {
      try {
        const events = this.by.api.watch(apiVersion, kind, { ...options, resourceVersion: from }, this.ended.signal);
        for await (const { object } of events) {
          from = object.metadata.resourceVersion ?? from;
          this.seen.push((object as Infrastructure).status?.lock);
        }
      } catch {
        // The service that answers is the one that is killed.
        await delay(50);
      }
    }
  }
}

describe('stock Terraform, pointed at the front door', () => {
  it('initialises, and reads the state', async () => {
    expect(await terraform('init', '-no-color')).toMatchObject({ code: 0 });
    const list = await terraform('state', 'list');
    expect(list.output).toContain('aws_vpc.');
    const pulled = JSON.parse((await terraform('state', 'pull')).output) as { serial: number; lineage: string };
    expect(pulled.serial).toBeGreaterThan(0);
    expect(pulled.lineage).not.toBe('');
  });

  it('plans under the lock, and gives it back', async () => {
    const plan = await terraform('plan', '-no-color', '-refresh=false');
    expect(plan).toMatchObject({ code: 0 });
    expect(plan.output).toContain('to destroy');
    await untilUnlocked();
  });

  it('writes the state, which becomes a version that says by whom', async () => {
    const pulled = JSON.parse((await terraform('state', 'pull')).output) as { serial: number; outputs: object };
    const file = join(stock.folder, 'pushed.tfstate');
    await writeFile(file, JSON.stringify({ ...pulled, serial: pulled.serial + 1 }));
    expect(await terraform('state', 'push', file)).toMatchObject({ code: 0 });
    expect(await platform.crate('state', 'list', 'demo', '-n', 'team-a')).toContain('Pushed with terraform');

    // A run that plans against it may have come first.
    await eventually(async () => expect((await send('LOCK', LOCK)).status).toBe(200), PATIENCE);
    const query = `?ID=${LOCK.ID}`;
    const foreign = { ...pulled, serial: pulled.serial + 9, lineage: '00000000-0000-0000-0000-000000000000' };
    const refused = await send('POST', foreign, { query });
    expect([refused.status, refused.body]).toEqual([409, expect.stringContaining('StateForeign')]);
    const older = await send('POST', { ...pulled, outputs: { other: { value: 1 } } }, { query });
    expect([older.status, older.body]).toEqual([409, expect.stringContaining('StateRolledBack')]);
    expect((await send('POST', { not: 'a state' }, { query })).status).toBe(400);
    expect((await send('POST', foreign, { query: '?ID=another' })).body).toContain('StateNotLocked');
    expect((await send('UNLOCK', LOCK)).status).toBe(200);
    await eventually(async () => {
      const shown = await platform.crate('state', 'show', 'demo', '-n', 'team-a');
      expect(shown).toContain('nobody holds it');
      expect((await infrastructure()).status?.lock).toBeUndefined();
    }, PATIENCE);
  });

  it('is refused to whoever is no platform administrator, which is on record', async () => {
    const key = await platform.crate('keys', 'create', 'tool', '--role', 'admin', '-n', 'team-a');
    for (const method of ['GET', 'POST', 'LOCK', 'UNLOCK']) {
      expect([method, (await send(method, method === 'GET' ? undefined : LOCK, { token: key.trim() })).status]).toEqual(
        [method, 403],
      );
    }
    expect((await send('GET', undefined, { token: 'nonsense' })).status).toBe(401);
    expect((await send('DELETE')).status).toBe(405);
    const audit = await user.api.list('lifecycle.crate.dev/v1alpha1', 'AuditEvent', { namespace: 'team-a' });
    const reads = audit.items
      .map((item) => item as unknown as { verb: string; decision: string; object: { subresource?: string } })
      .filter(({ verb, object }) => verb === 'get' && object.subresource === 'state');
    expect(new Set(reads.map(({ decision }) => decision))).toEqual(new Set(['allowed', 'denied']));
  });
});

describe('the lock', () => {
  it('of a person keeps runs waiting, and says for whom', async () => {
    await eventually(async () => expect((await send('LOCK', LOCK)).status).toBe(200), PATIENCE);
    const before = await workers();
    await scaleWorkers(3);
    const waiting = await until(({ status }) => status?.failure?.code === 'StateLocked');
    expect(waiting.status?.lock).toMatchObject({ operation: 'OperationTypeApply', state: 'live' });
    expect(waiting.status?.failure?.message).toMatch(/locked by .+ for OperationTypeApply since 2/);
    expect(await workers()).toBe(before);

    const other = await terraform('plan', '-no-color', '-lock-timeout=0s');
    expect(other.code).toBe(1);
    expect(other.output).toContain('lock-of-vera');
    expect(await terraform('force-unlock', '-force', 'lock-of-vera')).toMatchObject({ code: 0 });
    await user.untilReady();
    expect(await workers()).toBe(before + 1);
    await untilUnlocked();
  });

  it('of a run keeps people waiting, and says which', async () => {
    await whileHeld(platform, { type: 'aws_instance', action: 'create' }, async () => {
      await scaleWorkers(4);
      const held = await until(({ status }) => status?.lock?.operation === 'apply');
      expect(held.status?.lock).toMatchObject({
        holder: expect.stringMatching(/^cloud-mgmt@/),
        state: 'live',
        epoch: expect.stringMatching(/^\d+$/),
      });
      const refused = await send('LOCK', LOCK);
      expect(refused.status).toBe(423);
      expect(JSON.parse(refused.body)).toMatchObject({
        Who: expect.stringMatching(/^cloud-mgmt@/),
        Operation: 'apply',
        State: 'live',
      });
      expect((await send('UNLOCK')).status).toBe(409);
    });
    await user.untilReady();
  });

  interface ShownLock {
    readonly id: string;
    readonly holder: string;
    readonly since: string;
    readonly state: string;
  }
  const shown = async (): Promise<ShownLock> =>
    (JSON.parse(await platform.crate('state', 'show', 'demo', '-n', 'team-a', '-o', 'json')) as { lock: ShownLock })
      .lock;

  it('of a Terraform that was killed is orphaned after an hour, says so wherever it is shown, and is unlocked', async () => {
    const asking = stock.start('apply', '-refresh=false');
    const held = await eventually(async () => {
      const lock = await shown();
      expect(lock).toMatchObject({ operation: 'OperationTypeApply', state: 'live' });
      return lock;
    }, PATIENCE);
    const ended = new Promise((resolve) => asking.once('exit', (_code, signal) => resolve(signal)));
    asking.kill('SIGKILL');
    expect(await ended).toBe('SIGKILL');
    expect(await shown()).toEqual(held);

    // Nobody waits for an hour: what was heard of it is set back.
    const client = new pg.Client({ connectionString: await platform.databaseUrl() });
    await client.connect();
    await client.query(
      `UPDATE cloud_mgmt.terraform_state_locks SET seen_at = seen_at - interval '61 minutes', since = since - interval '61 minutes'`,
    );
    await client.end();
    const since = new Date(Date.parse(held.since) - 3_660_000).toISOString();
    expect(await shown()).toMatchObject({ id: held.id, holder: held.holder, since, state: 'orphaned' });
    const before = await workers();
    await scaleWorkers(3);
    const waiting = await until(({ status }) => status?.failure?.code === 'StateLocked');
    expect(waiting.status?.lock).toMatchObject({ holder: held.holder, since, state: 'orphaned' });
    expect(waiting.status?.failure?.remedy).toMatch(/orphaned.+since 2.+crate state unlock/);
    expect(await workers()).toBe(before);

    const refused = await terraform('plan', '-no-color', '-lock-timeout=0s');
    const told = `ID=${held.id} (held by ${held.holder} for OperationTypeApply since ${since}; orphaned: nothing was heard`;
    expect([refused.code, refused.output.replaceAll(/\s+/g, ' ')]).toEqual([1, expect.stringContaining(told)]);
    expect(await terraform('force-unlock', '-force', held.id)).toMatchObject({ code: 0 });
    await user.untilReady();
    expect(await workers()).not.toBe(before);
  });

  it('of a run whose service was killed is shown as orphaned, by whom and since when, and is taken over', async () => {
    await platform.crate('sandbox', 'latency', '--scale', '1');
    const before = await workers();
    const locks = new WatchedLocks(user, (await infrastructure()).metadata.resourceVersion);
    try {
      await scaleWorkers(5);
      const held = await until(({ status }) => status?.lock?.operation === 'apply');
      const { 'cloud-mgmt': victim } = await platform.processes();
      process.kill(victim!.pid, 'SIGKILL');
      const { holder, since, operation } = held.status!.lock!;
      const orphaned: unknown = expect.objectContaining({ holder, since, operation, state: 'orphaned' });
      await eventually(() => expect(locks.seen).toContainEqual(orphaned), PATIENCE);
    } finally {
      await locks.stop();
    }
    await platform.crate('sandbox', 'latency', '--scale', '0');
    await user.untilReady();
    await untilUnlocked();
    expect(await workers()).toBeGreaterThan(before);
  });

  it('that somebody left behind is taken from them', async () => {
    await eventually(async () => expect((await send('LOCK', LOCK)).status).toBe(200), PATIENCE);
    const { serial } = JSON.parse(await platform.crate('state', 'show', 'demo', '-n', 'team-a', '-o', 'json')) as {
      serial: number;
    };
    await expect(
      platform.crate('state', 'restore', 'demo', String(serial), '-n', 'team-a', '--reason', 'Test'),
    ).rejects.toThrow(/crate: The Terraform state is locked by .+\n.+ take it with "crate state unlock"/);
    expect(await platform.crate('state', 'unlock', 'demo', '-n', 'team-a', '--yes')).toMatch(/^Took the lock that /);
    expect(await platform.crate('state', 'unlock', 'demo', '-n', 'team-a')).toBe('Nobody holds the lock\n');
  });
});

describe('versions', () => {
  interface Version {
    readonly serial: number;
    readonly resources: number;
  }

  async function versions(): Promise<readonly Version[]> {
    const list = await platform.crate('state', 'list', 'demo', '-n', 'team-a', '-o', 'json');
    return (JSON.parse(list) as { spec: Version }[]).map(({ spec }) => spec);
  }

  async function serials(): Promise<number[]> {
    return (await versions()).map(({ serial }) => serial);
  }

  it('can be compared, and an older one restored: the next run brings the cloud back, and doubles nothing', async () => {
    const [newest = 0] = await serials();
    const diff = await platform.crate('state', 'diff', 'demo', String(newest - 1), '-n', 'team-a');
    expect(diff).toMatch(/added|changed/);
    const before = await platform.inventory();

    const [last, ...older] = await versions();
    const { serial: wanted } = older.find(({ resources }) => resources < last!.resources)!;
    const restored = await platform.crate(
      ...['state', 'restore', 'demo', String(wanted), '-n', 'team-a', '--reason', 'Test of a restore'],
    );
    expect(restored).toBe(`Version ${wanted} is in place as version ${newest + 1}\n`);
    await eventually(async () => expect((await serials())[0]).toBeGreaterThan(newest + 1), PATIENCE);
    await until(({ status }) => (status?.stateSerial ?? 0) > newest + 1 && status?.lock === undefined);
    await user.untilReady();
    const after = await platform.inventory();
    expect(after.map(({ id }) => id).sort()).toEqual(before.map(({ id }) => id).sort());
    expect(await platform.crate('state', 'show', 'demo', String(newest + 1), '-n', 'team-a')).toContain(
      'Test of a restore',
    );
  });

  it('that were taken away behind the platform are noticed: nothing is applied until a person has decided', async () => {
    const client = new pg.Client({ connectionString: await platform.databaseUrl() });
    await client.connect();
    const { metadata } = await infrastructure();
    const [newest = 0] = await serials();
    const gone = 'DELETE FROM cloud_mgmt.secret_versions WHERE owner_uid = $1 AND serial = $2';
    await client.query(gone, [metadata.uid, newest]);
    await client.end();
    const before = await platform.inventory();
    await scaleWorkers(1);
    const stopped = await until(({ status }) => status?.failure?.code === 'StateRolledBack');
    expect(stopped.status?.failure?.remedy).toContain('crate state restore');
    expect(await platform.inventory()).toEqual(before);

    await platform.crate(
      ...['state', 'restore', 'demo', String(newest - 1), '-n', 'team-a', '--reason', 'The newest was deleted'],
    );
    await user.untilReady();
    expect((await serials())[0]).toBeGreaterThan(newest);
    expect(await workers()).toBeLessThan(before.filter(({ type }) => type === 'aws_instance').length);
  });

  it('of the engine are shown, compared and restored the same way, and the cluster comes out as it was', async () => {
    const engine = (...args: string[]): Promise<string> => platform.crate('state', ...args, '-n', 'team-a', '--engine');
    const list = async (): Promise<{ serial: number; lineage: string; nodes: number }[]> => {
      const found = JSON.parse(await engine('list', 'demo', '-o', 'json')) as { spec: never }[];
      return found.map(({ spec }) => spec);
    };
    const [newest] = await list();
    const [older] = (await list()).filter(({ nodes }) => nodes > newest!.nodes);
    const diff = await engine('diff', 'demo', String(older!.serial), String(newest!.serial));
    expect(diff).toMatch(/- node\.demo-workers-\d \(removed\)/);
    expect(diff).not.toContain('PRIVATE KEY');
    expect(JSON.parse(await engine('show', 'demo', '-o', 'json'))).toMatchObject({ serial: newest!.serial, lock: {} });

    const nodes = async (): Promise<number> => (await user.untilReady()).status!.nodes!.ready;
    const before = await nodes();
    const restored = newest!.serial + 1;
    expect(await engine('restore', 'demo', String(older!.serial), '--reason', 'Test')).toBe(
      `Version ${older!.serial} is in place as version ${restored}\n`,
    );
    const after = await eventually(async () => {
      const [found] = await list();
      expect(found!.serial).toBeGreaterThan(restored);
      return found!;
    }, PATIENCE);
    expect([after.lineage, await nodes()]).toEqual([newest!.lineage, before]);
  });

  it('go with the cluster, and leave nothing behind', async () => {
    await whileHeld(platform, { type: 'aws_vpc', action: 'delete' }, async () => {
      await user.delete();
      const held = await until(({ status }) => status?.lock?.operation === 'destroy');
      expect(held.status?.lock).toMatchObject({ state: 'live' });
    });
    await user.untilGone();
    expect(await platform.inventory()).toEqual([]);
  });
});
