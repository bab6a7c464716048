import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { rename, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { settled } from '@crate/reconcile';
import { eventually, freePort } from '@crate/testing';
import type { ServiceHost } from './service-host.js';
import { HostBench, ToyReconciler, type ToyParts } from './testing/host-bench.js';
import { WIDGET } from './testing/toy-kinds.js';
import { CALL, NAMESPACE, put, widgetService } from './testing/widget-service.js';

let bench: HostBench;
beforeAll(async () => {
  bench = await HostBench.start();
});
afterAll(async () => bench.close());
beforeEach(async () => bench.useNewDatabase());
afterEach(async () => bench.stopAll());

function failing(name: string): unknown {
  return expect.objectContaining({ name, ok: false });
}

describe('start and stop', () => {
  it('open what a service needs before it starts, and close it after it has stopped', async () => {
    const events: string[] = [];
    const note = (event: string) => async (): Promise<void> => {
      // Whenever a service's own code runs, its database and NATS are there.
      await host?.foundation.database.rows('SELECT 1');
      events.push(event);
    };
    let host: ServiceHost | undefined;
    const parts: ToyParts = (foundation) => {
      host = { foundation } as ServiceHost;
      return {
        ...widgetService('a', note('pass')),
        onStart: async () => {
          // Kinds can be used already, but nothing reconciles yet.
          await put({ foundation } as ServiceHost, 'early');
          await note('start')();
        },
        onStop: note('stop'),
      };
    };
    const started = await bench.start('cloud-mgmt', parts);
    await eventually(() => events.length === 2);
    await bench.stop(started);

    expect(events).toEqual(['start', 'pass', 'stop']);
    // A server may take a moment to let go of those that were closed.
    await eventually(async () => expect(await bench.openConnections()).toEqual({ postgres: 0, nats: 0 }));
  });

  it('forget what was told and removed as they forget other changes: once it is too old', async () => {
    const history = { changes: 100_000, maxAgeMs: 1, checkMs: 20 };
    const { database, events, clients } = (await bench.start('cloud-mgmt', widgetService('a'), { history })).foundation;
    const metadata = { name: 'demo', namespace: NAMESPACE };
    const widget = await clients.for(WIDGET).ensure({ metadata, spec: { size: 1 } }, 'test');
    events.recorder.record(widget, { type: 'Normal', reason: 'Told', message: 'Something happened' });
    await eventually(async () => expect(await events.retention.removeNamespace(NAMESPACE)).toBe(1));
    const changes = `SELECT type FROM ${database.schema}_events.resource_changes`;
    await eventually(async () => expect(await database.rowsOnce(changes)).toEqual([]));
  });

  it('do not begin on keys of their own where what is stored stands under others', async () => {
    const { keysDir } = bench.config('cloud-mgmt').encryption;
    const first = await bench.start('cloud-mgmt', {});
    await first.foundation.secrets.put('a', 'state', Buffer.from('one'));
    await bench.stop(first);
    await rename(keysDir, `${keysDir}.elsewhere`);
    await expect(bench.start('cloud-mgmt', {})).rejects.toMatchObject({ details: { reason: 'EncryptionKeyMissing' } });

    await rm(keysDir, { recursive: true });
    await rename(`${keysDir}.elsewhere`, keysDir);
    const { foundation } = await bench.start('cloud-mgmt', {});
    expect(await foundation.secrets.find('a', 'state')).toMatchObject({ serial: 1 });
  });

  it('answers calls, and says that it is ready, once its own start is over', async () => {
    const port = await freePort();
    let begun = (): void => undefined;
    const beginning = new Promise<void>((resolve) => (begun = resolve));
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const parts: ToyParts = { ...widgetService('a'), onStart: () => (begun(), ended) };
    const starting = bench.start('cloud-mgmt', parts, { health: { host: '127.0.0.1', port } });
    const { foundation } = await bench.start('lifecycle', {});
    await beginning;

    const report = await fetch(`http://127.0.0.1:${port}/readyz`);
    expect(await report.json()).toMatchObject({ ok: false, checks: expect.arrayContaining([failing('start')]) });
    await expect(foundation.calls.call('cloud-mgmt', 'who', {}, CALL)).rejects.toMatchObject({
      code: 'Unavailable',
      message: 'cloud-mgmt is not available, try again',
    });
    end();
    await starting;
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
    expect(await foundation.calls.call('cloud-mgmt', 'who', {}, CALL)).toBe('a');
  });

  it('lets calls at hand end before what answers them is stopped', async () => {
    let answer = (): void => undefined;
    const asked = new Promise<void>((resolve) => (answer = resolve));
    const order: string[] = [];
    const handle = async (): Promise<string> => {
      answer();
      await delay(200);
      order.push('answered');
      return 'done';
    };
    const host = await bench.start('cloud-mgmt', {
      methods: { who: { scope: 'resources:read', handle } },
      onStop: () => Promise.resolve(void order.push('stopped')),
    });
    const { foundation } = await bench.start('lifecycle', {});
    const call = foundation.calls.call<string>('cloud-mgmt', 'who', {}, CALL);
    await asked;
    await bench.stop(host);

    expect(await call).toBe('done');
    expect(order).toEqual(['answered', 'stopped']);
  });

  it.each([
    { reason: 'its own start fails', parts: { onStart: () => Promise.reject(new Error('no port')) }, text: 'no port' },
    {
      reason: 'its module cannot be made',
      parts: () => {
        throw new Error('no such binary');
      },
      text: 'no such binary',
    },
    {
      reason: 'two of its reconcilers share a name',
      parts: {
        kinds: [{ definition: WIDGET }],
        reconcilers: [1, 2].map(() => ({
          reconciler: new ToyReconciler('same', () => Promise.resolve(settled)),
          kind: WIDGET,
        })),
      },
      text: 'registered twice',
    },
  ])('leave nothing open when $reason', async ({ parts, text }) => {
    let stopped = 0;
    const withStop: ToyParts =
      typeof parts === 'function' ? parts : { ...parts, onStop: () => Promise.resolve(void (stopped += 1)) };

    await expect(bench.start('cloud-mgmt', withStop)).rejects.toThrow(text);
    expect(stopped).toBe(typeof parts === 'function' ? 0 : 1);
    await eventually(async () => expect(await bench.openConnections()).toEqual({ postgres: 0, nats: 0 }));
  });

  it('leave nothing open when the health port is taken', async () => {
    const holder = createServer();
    await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
    const { port } = holder.address() as AddressInfo;
    const started = bench.start('cloud-mgmt', {}, { health: { host: '127.0.0.1', port } });

    await expect(started).rejects.toThrow('EADDRINUSE');
    await new Promise((resolve) => holder.close(resolve));
    await eventually(async () => expect(await bench.openConnections()).toEqual({ postgres: 0, nats: 0 }));
  });

  it('leave nothing open when NATS refuses the credentials, and do not wait for it', async () => {
    const nats = { url: bench.nats.url, user: 'cloud-mgmt', password: 'wrong' };
    await expect(bench.start('cloud-mgmt', {}, { nats })).rejects.toMatchObject({ code: 'Unauthenticated' });
    await eventually(async () => expect(await bench.openConnections()).toEqual({ postgres: 0, nats: 0 }));
  });
});
