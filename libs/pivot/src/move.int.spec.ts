import { listKeyFiles } from '@crate/secrets';
import { PostgresResourceStore } from '@crate/resource-store';
import { startPostgres, type PostgresServer } from '@crate/testing';
import { assertEpoch } from '@crate/work-queue';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { DirectoryKeyCarrier } from './directory-key-carrier.js';
import { finishTarget, move, type MoveOptions, type MoveResult } from './move.js';
import { MOVE_STEPS, stateOf, type MoveStep } from './move-record.js';
import { rollBack } from './roll-back.js';
import { Prototype, type TwoInstallations } from './testing/two-installations.js';

const ADDRESS = 'https://crate.example.com';
const REVERSIBLE = MOVE_STEPS.slice(0, MOVE_STEPS.indexOf('moved'));

// Each step locks and compares all tables of both: quick, but not on a machine that does much else.
jest.setTimeout(180_000);

let server: PostgresServer;
let prototype: Prototype;
let both: TwoInstallations;

beforeAll(async () => {
  server = await startPostgres();
  prototype = await Prototype.make(server);
});
afterAll(async () => {
  await prototype.remove();
  await server.stop();
});
beforeEach(async () => {
  both = await prototype.world();
});
afterEach(async () => both.close());

async function moveAll(options: Partial<MoveOptions> = {}): Promise<MoveResult> {
  const { source, target } = both;
  return move({
    ...{ source: source.installation, target: target.installation, keys: both.keys(), address: ADDRESS },
    ...options,
  });
}

async function takeBack(): Promise<boolean> {
  return rollBack({ source: both.source.installation, target: both.target.installation, keys: both.keys() });
}

class Killed extends Error {}

/** As if the process ended right after a step. */
async function moveUntil(last: MoveStep, options: Partial<MoveOptions> = {}): Promise<void> {
  const onStep = (step: MoveStep): void => {
    if (step === last) throw new Killed();
  };
  await expect(moveAll({ ...options, onStep })).rejects.toThrow(Killed);
}

async function states(): Promise<readonly string[]> {
  const { source, target } = both;
  return [stateOf(await source.installation.record()), stateOf(await target.installation.record())];
}

describe('move', () => {
  it('makes the target what the source was, closes the source for good and names the new address', async () => {
    const before = await both.source.contents();
    let verified: unknown;
    await moveAll({
      onStep: async (step) => {
        if (step === 'verified') verified = await both.target.contents();
      },
    });

    expect(verified).toEqual(before);
    expect(await both.target.names()).toEqual(['one', 'three', 'two']);
    expect(await states()).toEqual(['moved', 'serving']);
    await expect(both.source.put('late')).rejects.toMatchObject({
      code: 'Unavailable',
      message: `This installation has moved to ${ADDRESS}`,
      details: { reason: 'Moved', retryAfterMs: expect.any(Number) },
    });
    await both.target.put('next');
    expect(await both.target.names()).toContain('next');
  });

  it('never lets both act: at no step both take writes, and none begins work in two places', async () => {
    const seen: Record<string, readonly boolean[]> = {};
    await moveAll({
      onStep: async (step) => {
        seen[step] = [await both.source.takesWrites(), await both.target.takesWrites()];
      },
    });
    const [source, nobody, target] = [
      [true, false],
      [false, false],
      [false, true],
    ];
    expect(seen).toEqual({
      ...{ prepared: source, draining: source, frozen: nobody, copied: nobody, verified: nobody, moved: nobody },
      ...{ switched: target, retired: target },
    });
  });

  it('opens the states with the keys of the target, which have come along', async () => {
    await moveAll();
    const secret = await (await both.target.secrets()).find('infrastructure', 'terraform-state');
    expect(secret).toMatchObject({ serial: 2 });
    expect(Buffer.from(secret?.plain ?? []).toString()).toBe('{"serial":2}');
  });

  it('lets a watch of the source go on in the target, with no change lost', async () => {
    const [row] = await both.source.database().rows<{ revision: string }>('SELECT revision FROM resource_head');
    await both.source.put('unseen');
    await moveAll();
    await both.target.put('afterwards');
    const store = new PostgresResourceStore({ database: both.target.database() });
    const watch = store.watch(
      { group: 'test', kind: 'Widget' },
      { fromRevision: row?.revision ?? '', signal: AbortSignal.timeout(120_000) },
    );
    const names: string[] = [];
    for await (const event of watch) {
      names.push(event.type === 'BOOKMARK' ? event.type : event.object.metadata.name);
      if (names.length === 2) break;
    }
    await store.close();
    expect(names).toEqual(['unseen', 'afterwards']);
  });

  it('goes beyond what a target that was ahead has given out: its readers and those of the source read anew', async () => {
    await both.target.database().execute('UPDATE resource_head SET revision = 5000');
    await both.target.database().rows(`SELECT setval('work_epochs', 7000)`);
    await moveAll();
    const [head] = await both.target.database().rows<{ revision: string }>('SELECT revision FROM resource_head');
    expect(Number(head?.revision)).toBeGreaterThan(5000);
    const [lease] = await both.target.queue().claim('widget', 1, 1000);
    expect(lease?.epoch).toBeGreaterThan(7000n);
    const store = new PostgresResourceStore({ database: both.target.database() });
    const watch = store.watch(
      { group: 'test', kind: 'Widget' },
      { fromRevision: '2', signal: AbortSignal.timeout(120_000) },
    );
    await expect(watch[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'Gone' });
    await store.close();
  });

  it('goes on when it was killed after each of its steps, to the same end', async () => {
    for (const step of MOVE_STEPS) await moveUntil(step);
    await moveAll();
    expect(await states()).toEqual(['moved', 'serving']);
    expect(await both.target.names()).toEqual(['one', 'three', 'two']);
    const [there, here] = [await both.source.installation.record(), await both.target.installation.record()];
    expect(there).toMatchObject({ step: 'retired', side: 'source', id: here?.id, address: ADDRESS });
    expect(here).toMatchObject({ step: 'retired', side: 'target' });
  });

  it('goes on when the keys could not be brought, and when the source could not be ended', async () => {
    const keys = both.keys();
    keys.carry = () => Promise.reject(new Killed());
    await expect(moveAll({ keys })).rejects.toThrow(Killed);
    expect(await states()).toEqual(['frozen', 'receiving']);
    let ends = 0;
    await expect(moveAll({ retire: () => Promise.reject(new Killed()) })).rejects.toThrow(Killed);
    expect(await states()).toEqual(['moved', 'serving']);
    await moveAll({ retire: async () => void (await Promise.resolve((ends += 1))) });
    expect(ends).toBe(1);
  });

  it('can be ended without the source, once the target serves and not before', async () => {
    const { installation } = both.target;
    await expect(finishTarget(installation)).rejects.toMatchObject({ details: { reason: 'MoveChanged' } });
    await moveUntil('verified');
    await expect(finishTarget(installation)).rejects.toMatchObject({ details: { reason: 'MoveChanged' } });
    await moveUntil('switched');
    expect(await finishTarget(installation)).toBe(true);
    expect(await installation.record()).toMatchObject({ step: 'retired' });
    expect(await finishTarget(installation)).toBe(false);
  });

  it('writes nothing when it is run again', async () => {
    await moveAll();
    const [records, contents] = [await both.target.installation.record(), await both.target.contents()];
    const source = await both.source.installation.record();
    expect(await moveAll({ retire: () => Promise.reject(new Killed()) })).toMatchObject({ hasMoved: false });
    expect([await both.target.installation.record(), await both.target.contents()]).toEqual([records, contents]);
    expect(await both.source.installation.record()).toEqual(source);
  });

  it('moves on from where it has moved to', async () => {
    await moveAll();
    const third = await prototype.world();
    try {
      await move({ source: both.target.installation, target: third.target.installation, keys: carrierTo(third) });
      expect(await third.target.names()).toEqual(['one', 'three', 'two']);
      await expect(both.target.put('late')).rejects.toMatchObject({ details: { reason: 'Moved' } });
    } finally {
      await third.close();
    }
  });
});

function carrierTo(other: TwoInstallations): MoveOptions['keys'] {
  const directories = (root: TwoInstallations): Record<string, string> => ({
    cloud_mgmt: root.target.keysDirectory('cloud_mgmt'),
  });
  return new DirectoryKeyCarrier({ from: directories(both), to: directories(other) });
}

describe('the fence of a move', () => {
  it('loses no write that was acknowledged, and acknowledges none afterwards', async () => {
    const acknowledged: string[] = [];
    let isFrozen = false;
    let late = 0;
    let isOver = false;
    const writer = async (number: number): Promise<void> => {
      const database = both.source.database();
      for (let count = 0; !isOver; count += 1) {
        const name = `w${number}-${count}`;
        const mayBeLate = isFrozen;
        try {
          await both.source.put(name, 'Widget', database);
          acknowledged.push(name);
          if (mayBeLate) late += 1;
        } catch (error) {
          expect(error).toMatchObject({ code: expect.stringMatching(/Unavailable|Conflict/) });
          await new Promise((next) => setTimeout(next, 5));
        }
      }
    };
    const writers = [1, 2, 3, 4].map(writer);
    await until(() => Promise.resolve(acknowledged.length > 20));
    await moveAll({ onStep: (step) => void (isFrozen ||= step === 'frozen') });
    isOver = true;
    await Promise.all(writers);
    expect(acknowledged.length).toBeGreaterThan(20);
    expect(late).toBe(0);
    const names = await both.target.names();
    expect(acknowledged.filter((name) => !names.includes(name))).toEqual([]);
    expect(names.filter((name) => name.startsWith('w')).length).toBe(acknowledged.length);
  });

  it('waits for a transaction that has written, which is moved along', async () => {
    let frozen: Promise<void> | undefined;
    const open = both.source.database();
    await open.transaction(async (transaction) => {
      await transaction.execute(`INSERT INTO terraform_runs VALUES ('slow', 'succeeded')`);
      frozen = moveUntil('frozen');
      // Frozen it cannot be while this is open; the claim is refused as soon as it drains.
      await until(async () => {
        // A transaction that rests for long is ended by the server.
        await transaction.rows('SELECT 1');
        return (await states())[0] === 'draining';
      });
    });
    await frozen;
    await moveAll();
    expect(await both.target.database().rows('SELECT id FROM terraform_runs')).toEqual([{ id: 'slow' }]);
  });

  it('lets nothing of a process come through that slept over it', async () => {
    const database = both.source.database();
    const queue = both.source.queue();
    const [lease] = await queue.claim('widget', 1, 1);
    if (!lease) throw new Error('Nothing was due');
    const secrets = await both.source.secrets();
    for (const step of ['frozen', 'moved'] as const) {
      await moveUntil(step);
      const reason = step === 'frozen' ? 'Moving' : 'Moved';
      const refused = { code: 'Unavailable', details: { reason } };
      await expect(queue.renew(lease, 30_000)).rejects.toMatchObject(refused);
      await expect(queue.claim('widget', 1, 30_000)).rejects.toMatchObject(refused);
      await expect(both.source.put('stale', 'Widget', database)).rejects.toMatchObject(refused);
      const run = `INSERT INTO terraform_runs VALUES ('stale', 'running')`;
      await expect(database.execute(run)).rejects.toMatchObject(refused);
      const fencedWrite = database.transaction(async (transaction) => {
        await transaction.execute(`UPDATE parents SET id = id WHERE id = 1`);
        await assertEpoch(transaction, lease);
      });
      await expect(fencedWrite).rejects.toMatchObject(refused);
      await expect(secrets.put('infrastructure', 'terraform-state', Buffer.from('stale'))).rejects.toThrow();
    }
    await moveAll();
    expect(await both.target.names()).not.toContain('stale');
    const [next] = await both.target.queue().claim('widget', 1, 30_000);
    expect(next?.epoch).toBeGreaterThan(lease.epoch);
  });

  it('lets what is at hand end before it freezes, and begins nothing more', async () => {
    const queue = both.source.queue();
    const [lease] = await queue.claim('widget', 1, 600_000);
    if (!lease) throw new Error('Nothing was due');
    await both.source.database('cloud_mgmt').execute(`INSERT INTO terraform_runs VALUES ('apply', 'running')`);
    await expect(moveAll({ drainTimeoutMs: 1 })).rejects.toMatchObject({
      code: 'Timeout',
      details: { reason: 'StillAtWork' },
      message: expect.stringMatching(/Terraform run apply.*widget of a\//),
    });
    expect(await states()).toEqual(['draining', 'receiving']);
    await expect(queue.claim('widget', 1, 1000)).rejects.toMatchObject({ details: { reason: 'Moving' } });
    expect(await queue.renew(lease, 600_000)).toBe(true);
    await both.source.put('still-taken');

    await queue.finish(lease, { kind: 'again', afterMs: 0, failed: false });
    await both.source.database('cloud_mgmt').execute(`UPDATE terraform_runs SET state = 'succeeded'`);
    await moveAll();
    expect(await both.target.names()).toContain('still-taken');
  });

  it('begins once no process of the target runs any more that knows what it replaces, and leaves the source to serve until then', async () => {
    await both.target.begin('cloud-mgmt@one:1');
    await both.target.begin('cloud-mgmt@two:2');
    const replicas = both.target.database('cloud_mgmt');
    await expect(moveAll({ drainTimeoutMs: 1 })).rejects.toMatchObject({
      code: 'Timeout',
      details: { reason: 'StillRunning' },
      message: 'Processes of the platform have not ended yet: cloud-mgmt@one:1, cloud-mgmt@two:2',
    });
    expect(await states()).toEqual(['serving', 'receiving']);
    expect(await both.source.takesWrites()).toBe(true);
    expect(await both.source.queue().claim('widget', 1, 1)).toHaveLength(1);

    await replicas.execute(`UPDATE service_replicas SET stopped_at = now() WHERE name = 'cloud-mgmt@one:1'`);
    const told: string[] = [];
    const moved = moveAll({ onProgress: (line) => void told.push(line) });
    await until(() => Promise.resolve(told.length > 0));
    expect(told).toEqual(['Waiting for cloud-mgmt@two:2 (1 running)']);
    // It died: nobody says that it has ended.
    await replicas.execute(`UPDATE service_replicas SET seen_at = now() - interval '1 minute'`);
    expect(await moved).toMatchObject({ hasMoved: true });
  });

  it('keeps the target closed while it receives', async () => {
    await moveUntil('prepared');
    await expect(both.target.put('early')).rejects.toMatchObject({
      code: 'Unavailable',
      details: { reason: 'Moving' },
    });
    await expect(both.target.queue().claim('widget', 1, 1000)).rejects.toMatchObject({
      details: { reason: 'Moving' },
    });
  });
});

describe('rollBack', () => {
  it('takes a move back from every step before the switch: both are what they were', async () => {
    const [source, target] = [await both.source.contents(), await both.target.contents()];
    for (const step of REVERSIBLE) {
      await moveUntil(step);
      expect(await takeBack()).toBe(true);
      expect([step, await both.target.contents()]).toEqual([step, target]);
      expect([step, await both.source.contents()]).toEqual([step, source]);
      expect(await states()).toEqual(['serving', 'serving']);
    }
    await both.source.put('goes-on');
    expect(await both.source.queue().claim('widget', 1, 1)).toHaveLength(1);
    await both.target.put('its-own');
    await (await both.target.secrets()).put('target', 'own', Buffer.from('again'));
    expect(await listKeyFiles(both.target.keysDirectory('cloud_mgmt'))).toHaveLength(1);
    expect(await takeBack()).toBe(false);
  });

  it('goes on where it was killed, and a later move finds everything in its place', async () => {
    await moveUntil('copied');
    const keys = both.keys();
    keys.takeBack = () => Promise.reject(new Killed());
    const { source, target } = both;
    const parts = { source: source.installation, target: target.installation };
    await expect(rollBack({ ...parts, keys })).rejects.toThrow(Killed);
    expect(await states()).toEqual(['serving', 'receiving']);
    expect(await takeBack()).toBe(true);
    expect(await states()).toEqual(['serving', 'serving']);
    await moveAll();
    expect(await both.target.names()).toEqual(['one', 'three', 'two']);
  });

  it('is brought to its end by the next move, where it was killed in between', async () => {
    await moveUntil('draining');
    const keys = both.keys();
    keys.takeBack = () => Promise.reject(new Killed());
    const parts = { source: both.source.installation, target: both.target.installation };
    await expect(rollBack({ ...parts, keys })).rejects.toThrow(Killed);
    await moveAll();
    expect(await both.target.names()).toEqual(['one', 'three', 'two']);
  });

  it('stops a mover that still goes on', async () => {
    const stale = moveAll({
      onStep: async (step) => {
        if (step === 'verified') await takeBack();
      },
    });
    await expect(stale).rejects.toMatchObject({ code: 'Conflict', details: { reason: 'MoveChanged' } });
    expect(await states()).toEqual(['serving', 'serving']);
  });

  it('refuses from the point on from which the source may not act again', async () => {
    for (const step of ['moved', 'switched', 'retired'] as const) {
      await moveUntil(step);
      const before = await states();
      await expect(takeBack()).rejects.toMatchObject({ code: 'Conflict', details: { reason: 'HasMoved' } });
      expect(await states()).toEqual(before);
    }
  });
});

describe('what a move refuses', () => {
  it('a target that has clusters', async () => {
    await both.target.put('theirs', 'Cluster');
    await expect(moveAll()).rejects.toMatchObject({
      details: { reason: 'TargetInUse' },
      message: expect.stringContaining('Cluster a/theirs'),
    });
    expect(await states()).toEqual(['serving', 'serving']);
  });

  it('a target of another release', async () => {
    await both.target.database().rowsOnce('ALTER TABLE parents ADD COLUMN more int');
    await expect(moveAll()).rejects.toMatchObject({
      details: { reason: 'ReleaseDiffers' },
      message: expect.stringContaining('lifecycle.parents'),
    });
  });

  it('a copy that differs', async () => {
    const change = async (step: MoveStep): Promise<void> => {
      if (step !== 'copied') return;
      const database = both.target.database('cloud_mgmt');
      await database.rowsOnce('ALTER TABLE a_children DISABLE TRIGGER USER');
      await database.rowsOnce('UPDATE a_children SET raw = NULL WHERE id = 7');
    };
    await expect(moveAll({ onStep: change })).rejects.toMatchObject({
      details: { reason: 'CopyDiffers' },
      message: expect.stringContaining('cloud_mgmt.a_children'),
    });
    expect(await states()).toEqual(['frozen', 'receiving']);
  });

  it('a target that cannot open a state', async () => {
    const keys = both.keys();
    keys.carry = () => Promise.resolve();
    await expect(moveAll({ keys })).rejects.toMatchObject({
      details: { reason: 'SecretDoesNotOpen' },
      message: expect.stringContaining('terraform-state'),
    });
    // The keys were completed since.
    expect(await moveAll()).toMatchObject({ hasMoved: true });
  });

  it('another target from the step on at which the first one has part in it, whatever became of that', async () => {
    const other = await prototype.world();
    try {
      const toOther = (): Promise<MoveResult> =>
        moveAll({
          target: other.target.installation,
          keys: carrierTo(other),
          onStep: () => Promise.reject(new Killed()),
        });
      for (const step of MOVE_STEPS) {
        await moveUntil(step);
        await expect(toOther()).rejects.toMatchObject({ code: 'Conflict', details: { reason: 'OtherMove' } });
        expect([step, await other.target.installation.record()]).toEqual([step, undefined]);
      }
    } finally {
      await other.close();
    }
  });

  it('another target though none has part in it yet: who was killed in between goes on with the one it began with', async () => {
    const other = await prototype.world();
    try {
      const { installation } = both.target;
      const dies = jest.spyOn(installation, 'advance').mockRejectedValueOnce(new Killed());
      await expect(moveAll()).rejects.toThrow(Killed);
      dies.mockRestore();
      expect(await installation.record()).toBeUndefined();
      await expect(moveAll({ target: other.target.installation, keys: carrierTo(other) })).rejects.toMatchObject({
        details: { reason: 'OtherMove' },
      });
      expect(await moveAll()).toMatchObject({ hasMoved: true });
    } finally {
      await other.close();
    }
  });

  it('to come back over a target that has acted since', async () => {
    await moveAll();
    const third = await prototype.world();
    try {
      const on = { source: both.target.installation, target: third.target.installation, keys: carrierTo(third) };
      await expect(move({ ...on, onStep: () => Promise.reject(new Killed()) })).rejects.toThrow(Killed);
      await rollBack(on);
      await both.target.put('since');
      await expect(moveAll()).rejects.toMatchObject({ details: { reason: 'OtherMove' } });
      expect(await both.target.names()).toContain('since');
    } finally {
      await third.close();
    }
  });

  it('a second move beside the first', async () => {
    await moveUntil('draining');
    const other = await prototype.world();
    try {
      const parts = { keys: both.keys(), target: both.target.installation };
      await expect(move({ ...parts, source: other.source.installation })).rejects.toMatchObject({
        details: { reason: 'OtherMove' },
      });
    } finally {
      await other.close();
    }
  });
});

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let looks = 0; !(await isSo()); looks += 1) {
    if (looks === 6_000) throw new Error('It did not come true in time');
    await new Promise((next) => setTimeout(next, 10));
  }
}
