import type { KubeObject } from '@crate/api';
import { Database } from '@crate/database';
import type { TypedClient } from '@crate/resource-client';
import { InMemoryLogger } from '@crate/telemetry';
import { eventually } from '@crate/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { HostBench } from '../testing/host-bench.js';
import { WIDGET } from '../testing/toy-kinds.js';
import { MoveWatch } from './move-watch.js';

const ID = '00000000-0000-4000-8000-000000000000';
const MOVED_THERE = 'This installation has moved to https://there.example.com';
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

async function record(side: 'source' | 'target', step: string, address?: string): Promise<void> {
  await database.execute(STEP, [ID, side, step, address ?? null]);
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
  return new MoveWatch({ database, everyMs: 10, logger: new InMemoryLogger(), onReceiving: () => ends.push('end') });
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
    await watch.start();
    expect(ends).toEqual([]);
    await stop();
    await record('target', 'prepared');
    await eventually(() => ends.length > 0);
    await watch.stop();
    expect(ends).toEqual(['end']);
  });
});
