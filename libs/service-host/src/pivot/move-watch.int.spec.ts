import type { KubeObject } from '@crate/api';
import { Database } from '@crate/database';
import type { TypedClient } from '@crate/resource-client';
import { InMemoryLogger } from '@crate/telemetry';
import { eventually } from '@crate/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { ServiceHost } from '../service-host.js';
import { HostBench, type ToyParts } from '../testing/host-bench.js';
import { WIDGET } from '../testing/toy-kinds.js';
import { put, widgetService } from '../testing/widget-service.js';
import { MoveWatch } from './move-watch.js';

const ID = '00000000-0000-4000-8000-000000000000';
const NEXT_ID = '00000000-0000-4000-8000-000000000001';
const MOVED_THERE = 'This installation has moved to https://there.example.com';
const NEVER = new AbortController().signal;
const STEP = 'UPDATE installation_move SET id = $1, side = $2, step = $3, address = $4';

let bench: HostBench;
let database: Database;

beforeAll(async () => {
  bench = await HostBench.start();
});
afterAll(async () => bench.close());
beforeEach(async () => {
  await bench.useNewDatabase();
  database = new Database({ url: bench.config('cloud-mgmt').database.url, schema: 'cloud_mgmt', maxConnections: 2 });
});
afterEach(async () => {
  await database.close();
  await bench.stopAll();
});

async function record(side: 'source' | 'target', step: string, address?: string, id = ID): Promise<void> {
  await database.execute(STEP, [id, side, step, address ?? null]);
}

/** Names of what a watch tells, and what it ends with. */
function follow(client: TypedClient<KubeObject>): { readonly names: string[]; readonly end: Promise<unknown> } {
  const names: string[] = [];
  const end = (async () => {
    for await (const { type, object } of client.watch({ sendInitialEvents: true }, new AbortController().signal)) {
      if (type !== 'BOOKMARK') names.push(object.metadata.name);
    }
    return 'ended';
  })();
  return { names, end: end.catch((error: unknown) => error) };
}

function watchOf(ends: string[]): MoveWatch {
  return new MoveWatch({ database, everyMs: 10, logger: new InMemoryLogger(), onReplaced: () => ends.push('end') });
}

describe('a service whose installation moves', () => {
  it('answers everything with the new address once it has moved, and as ever until then', async () => {
    const { foundation } = await bench.start('cloud-mgmt', { kinds: [{ definition: WIDGET }] });
    const widgets = foundation.clients.for(WIDGET);
    for (const step of ['draining', 'frozen', 'verified']) {
      await record('source', step);
      expect(await widgets.find('none', 'a')).toBeUndefined();
    }
    await record('source', 'moved', 'https://there.example.com');
    await eventually(
      async () =>
        widgets.find('none', 'a').then(
          () => false,
          (error: unknown) => {
            expect(error).toMatchObject({
              code: 'Unavailable',
              message: MOVED_THERE,
              details: { reason: 'Moved' },
            });
            return true;
          },
        ),
      { timeoutMs: 60_000 },
    );
  });

  it('ends open watches once it has moved, after all that was stored, also those of another service', async () => {
    const { foundation } = await bench.start('cloud-mgmt', { kinds: [{ definition: WIDGET }] });
    const lifecycle = await bench.start('lifecycle', {});
    const widgets = foundation.clients.for(WIDGET);
    const watches = [widgets, lifecycle.foundation.clients.for(WIDGET)].map((client) => follow(client));
    await widgets.create({ metadata: { name: 'a', namespace: 'none' }, spec: { size: 1 } });
    await eventually(() => watches.every(({ names }) => names.length === 1), { timeoutMs: 60_000 });
    await record('source', 'moved', 'https://there.example.com');
    for (const { end, names } of watches) {
      expect(await end).toMatchObject({ code: 'Unavailable', details: { reason: 'Moved' }, message: MOVED_THERE });
      expect(names).toEqual(['a']);
    }
  });

  it('does not start while it receives another, and does once that is here', async () => {
    const first = await bench.start('cloud-mgmt', { kinds: [{ definition: WIDGET }] });
    await first.stop();
    await record('target', 'prepared');
    const second = bench.start('cloud-mgmt', { kinds: [{ definition: WIDGET }] });
    let isStarted = false;
    void second.then(() => (isStarted = true));
    await eventually(() =>
      bench.logger.lines.some(({ message }) => message.startsWith('Waiting for the installation')),
    );
    expect(isStarted).toBe(false);
    await record('target', 'switched');
    expect((await second).foundation.service).toBe('cloud-mgmt');
  });

  it('ends when it begins to receive while it runs, and not for a move that was taken back', async () => {
    const { stop } = await bench.start('cloud-mgmt', {}).then((host) => ({ stop: () => host.stop() }));
    const ends: string[] = [];
    const watch = watchOf(ends);
    await record('target', 'rolledBack');
    await watch.start(NEVER);
    expect(ends).toEqual([]);
    await stop();
    await record('target', 'prepared');
    await eventually(() => ends.length > 0);
    await watch.stop();
    expect(ends).toEqual(['end']);
  });

  it('ends for what was received between two looks, and goes on where that came before its start', async () => {
    await bench.start('cloud-mgmt', {}).then((host) => bench.stop(host));
    const ends: string[] = [];
    const [before, after] = [watchOf(ends), watchOf([])];
    await before.start(NEVER);
    await record('target', 'switched');
    await eventually(() => ends.length > 0);
    await after.start(NEVER);
    await record('target', 'retired');
    await after.check();
    await record('source', 'prepared', undefined, NEXT_ID);
    await after.check();
    await record('source', 'rolledBack', undefined, NEXT_ID);
    await after.check();
    await record('target', 'retired', undefined, NEXT_ID);
    await expect(after.check()).rejects.toMatchObject({ code: 'Unavailable', details: { reason: 'Moving' } });
    await Promise.all([before.stop(), after.stop()]);
    expect(ends).toEqual(['end']);
  });

  it('does no work when a move began while it started', async () => {
    const passes: string[] = [];
    const signals = jest.spyOn(process, 'kill').mockReturnValue(true);
    const parts: ToyParts = (foundation) => ({
      ...widgetService('a', () => Promise.resolve(passes.push('pass'))),
      onStart: async () => {
        await put({ foundation } as ServiceHost, 'early');
        // After the start has looked, and before a timer does.
        await record('target', 'switched');
      },
    });
    await expect(bench.start('cloud-mgmt', parts)).rejects.toMatchObject({ details: { reason: 'Moving' } });
    expect(signals.mock.calls).toEqual([[process.pid, 'SIGTERM']]);
    signals.mockRestore();
    expect(passes).toEqual([]);
    expect(await database.rows('SELECT stopped_at IS NULL AS is_there FROM service_replicas')).toEqual([
      { is_there: false },
    ]);
  });
});
