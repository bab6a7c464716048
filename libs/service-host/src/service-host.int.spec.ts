import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { WatchEvent } from '@crate/api';
import { settled, type ReconcileKey } from '@crate/reconcile';
import type { CallContext } from '@crate/resource-client';
import { eventually, freePort } from '@crate/testing';
import type { ServiceHost } from './service-host.js';
import { HostBench, ToyReconciler, type ToyParts } from './testing/host-bench.js';
import { GADGET, WIDGET } from './testing/toy-kinds.js';

const NAMESPACE = 'team-a';
const CALL: CallContext = { caller: { user: 'test', groups: [] }, traceId: 'trace' };

let bench: HostBench;
beforeAll(async () => {
  bench = await HostBench.start();
});
afterAll(async () => bench.close());
beforeEach(async () => bench.useNewDatabase());
afterEach(async () => bench.stopAll());

type WidgetPass = (replica: string, key: ReconcileKey, signal: AbortSignal) => Promise<unknown>;

/** A service with one kind, one reconciler and one method; `pass` is told which replica runs it. */
function widgetService(replica: string, pass: WidgetPass = () => Promise.resolve()): ToyParts {
  const reconciler = new ToyReconciler('widget', async (key, { remoteSignal }) => {
    await pass(replica, key, remoteSignal);
    return settled;
  });
  return {
    kinds: [{ definition: WIDGET }],
    reconcilers: [{ reconciler, kind: WIDGET, options: { concurrency: 2 } }],
    methods: { who: { scope: 'resources:read', handle: () => Promise.resolve(replica) } },
  };
}

async function put(host: ServiceHost, name: string, size = 1): Promise<void> {
  const widgets = host.foundation.clients.for(WIDGET);
  await widgets.ensure({ metadata: { name, namespace: NAMESPACE }, spec: { size } }, 'test');
}

function failing(name: string): unknown {
  return expect.objectContaining({ name, ok: false });
}

describe('two replicas of a service', () => {
  it('start at once on an empty database, and both answer calls', async () => {
    await Promise.all([bench.start('cloud-mgmt', widgetService('a')), bench.start('cloud-mgmt', widgetService('b'))]);
    const { foundation } = await bench.start('lifecycle', {});

    const answers = new Set<string>();
    await eventually(async () => {
      answers.add(await foundation.calls.call<string>('cloud-mgmt', 'who', {}, CALL));
      return answers.size === 2;
    });
  });

  it('share the work, and no key is worked on by two at a time', async () => {
    const running = new Map<string, string>();
    const done = new Map<string, Set<string>>();
    let overlaps = 0;
    let release = (): void => undefined;
    const bothBusy = new Promise<void>((resolve) => (release = resolve));
    const pass: WidgetPass = async (replica, { name }) => {
      if (running.has(name)) overlaps += 1;
      running.set(name, replica);
      if (new Set(running.values()).size === 2) release();
      await bothBusy;
      running.delete(name);
      done.set(name, (done.get(name) ?? new Set()).add(replica));
    };
    const one = await bench.start('cloud-mgmt', widgetService('a', pass));
    const other = await bench.start('cloud-mgmt', widgetService('b', pass));

    const names = Array.from({ length: 30 }, (_, index) => `widget-${index}`);
    for (const size of [1, 2, 3]) {
      await Promise.all(names.map((name, index) => put(index % 2 === 0 ? one : other, name, size)));
    }
    await eventually(() => done.size === names.length && running.size === 0);
    expect(overlaps).toBe(0);
    expect(new Set([...done.values()].flatMap((replicas) => [...replicas]))).toEqual(new Set(['a', 'b']));
  });

  it("see each other's changes at once", async () => {
    const one = await bench.start('cloud-mgmt', widgetService('a'));
    const other = await bench.start('cloud-mgmt', widgetService('b'));
    const controller = new AbortController();
    const widgets = other.foundation.clients.for(WIDGET);
    const events = widgets.watch({ sendInitialEvents: true }, controller.signal)[Symbol.asyncIterator]();
    await events.next();

    const startedAt = performance.now();
    await put(one, 'seen');
    const { value } = (await events.next()) as IteratorResult<WatchEvent, undefined>;
    // The store of the other replica looks by itself every five seconds only.
    expect(performance.now() - startedAt).toBeLessThan(4_500);
    expect(value).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'seen' } } });
    controller.abort();
    await events.return?.();
  });

  it('hand over what one of them was at when it stops', async () => {
    const passes: string[] = [];
    const pass: WidgetPass = async (replica, _key, signal) => {
      passes.push(replica);
      if (passes.length > 1) return;
      // Busy until it is told to end.
      await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
    };
    const one = await bench.start('cloud-mgmt', widgetService('a', pass));
    await put(one, 'busy');
    await eventually(() => passes.length === 1);
    await bench.start('cloud-mgmt', widgetService('b', pass), {
      reconcile: { leaseMs: 30_000, pollMs: 200, backoffCapMs: 500, graceMs: 5_000 },
    });

    await bench.stop(one);
    await eventually(() => passes.length === 2);
    expect(passes).toEqual(['a', 'b']);
  });

  it('lose no request while one of them stops', async () => {
    const slow: ToyParts = {
      methods: {
        slow: {
          scope: 'resources:read',
          handle: () => new Promise((resolve) => setTimeout(() => resolve('done'), 20)),
        },
      },
    };
    const replicas = [await bench.start('cloud-mgmt', slow), await bench.start('cloud-mgmt', slow)];
    const { foundation } = await bench.start('lifecycle', {});

    let stopped = false;
    const results: Promise<string>[] = [];
    const stopping = bench.stop(replicas[0] as ServiceHost).then(() => (stopped = true));
    while (!stopped || results.length < 100) {
      results.push(foundation.calls.call<string>('cloud-mgmt', 'slow', {}, CALL));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await stopping;
    const answers = await Promise.all(results);
    expect(new Set(answers)).toEqual(new Set(['done']));
  });
});

describe('a service that watches what another one owns', () => {
  const woken: string[] = [];
  const watcher: ToyParts = {
    kinds: [{ definition: GADGET }],
    reconcilers: [
      {
        reconciler: new ToyReconciler('gadget', async ({ name }) => {
          woken.push(name);
          return Promise.resolve(settled);
        }),
        kind: GADGET,
        watches: [{ kind: WIDGET, keysOf: ({ metadata }) => [{ namespace: NAMESPACE, name: metadata.name }] }],
      },
    ],
  };
  beforeEach(() => {
    woken.length = 0;
  });

  it('hears of what exists, of every change, and goes on when the owner comes back', async () => {
    const owner = await bench.start('cloud-mgmt', widgetService('a'));
    await put(owner, 'before');
    await bench.start('lifecycle', watcher);
    await eventually(() => expect(woken).toEqual(['before']));

    await put(owner, 'meanwhile');
    await eventually(() => expect(woken).toEqual(['before', 'meanwhile']));

    await bench.stop(owner);
    const back = await bench.start('cloud-mgmt', widgetService('b'));
    await put(back, 'after');
    await eventually(() => expect(woken).toEqual(['before', 'meanwhile', 'after']));
  });

  it('answers changes that it gathers with one pass', async () => {
    const passes: number[] = [];
    const reconciler = new ToyReconciler('gadget', async () => {
      passes.push(performance.now());
      return Promise.resolve(settled);
    });
    const watch = { kind: WIDGET, keysOf: () => [{ namespace: NAMESPACE, name: 'all' }], gatherMs: 1_500 };
    const owner = await bench.start('cloud-mgmt', widgetService('a'));
    const startedAt = performance.now();
    await bench.start('lifecycle', {
      kinds: [{ definition: GADGET }],
      reconcilers: [{ reconciler, kind: GADGET, watches: [watch] }],
    });
    for (let index = 0; index < 20; index += 1) await put(owner, `many-${index}`);
    const writtenWithinMs = performance.now() - startedAt;

    await eventually(() => expect(passes.length).toBeGreaterThan(0));
    expect((passes[0] ?? 0) - startedAt).toBeGreaterThan(1_400);
    // One at the end of each time of gathering, however many changes fell into it.
    expect(passes.length).toBeLessThanOrEqual(1 + writtenWithinMs / 1_500);
  });

  it('looks at what hints of another service may concern, which it may not look at itself', async () => {
    const looks: (readonly string[])[] = [];
    const hints = {
      kinds: [WIDGET],
      keysOf: async (namespaces: readonly string[]) => {
        looks.push(namespaces);
        return Promise.resolve([{ namespace: NAMESPACE, name: 'mine' }]);
      },
      gatherMs: 500,
    };
    const owner = await bench.start('cloud-mgmt', widgetService('a'));
    const reconciler = new ToyReconciler('gadget', async ({ name }) => {
      woken.push(name);
      return Promise.resolve(settled);
    });
    await bench.start('lifecycle', {
      kinds: [{ definition: GADGET }],
      reconcilers: [{ reconciler, kind: GADGET, hints }],
    });
    for (const name of ['x', 'y', 'z']) await put(owner, name);

    await eventually(() => expect(woken).toContain('mine'));
    expect(looks[0]).toEqual([NAMESPACE]);
    expect(looks.length).toBeLessThan(3);
  });

  it('starts before the owner, and hears of it as soon as that is there', async () => {
    await bench.start('lifecycle', watcher);
    const owner = await bench.start('cloud-mgmt', widgetService('a'));
    await put(owner, 'late');
    await eventually(() => expect(woken).toEqual(['late']));
  });

  it('hears after its own restart of what happened meanwhile', async () => {
    const owner = await bench.start('cloud-mgmt', widgetService('a'));
    const first = await bench.start('lifecycle', watcher);
    await bench.stop(first);
    await put(owner, 'missed');
    await bench.start('lifecycle', watcher);
    await eventually(() => expect(woken).toContain('missed'));
  });
});

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
    expect(await bench.openConnections()).toEqual({ postgres: 0, nats: 0 });
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

describe('health', () => {
  async function startWithHealth(
    parts: ToyParts,
  ): Promise<{ host: ServiceHost; get: (path: string) => Promise<Response> }> {
    const port = await freePort();
    const host = await bench.start('cloud-mgmt', parts, { health: { host: '127.0.0.1', port } });
    return { host, get: (path) => fetch(`http://127.0.0.1:${port}${path}`) };
  }

  it('tells liveness, readiness and metrics', async () => {
    const { get } = await startWithHealth(widgetService('a'));
    expect((await get('/healthz')).status).toBe(200);
    const ready = await get('/readyz');
    expect([ready.status, await ready.json()]).toMatchObject([200, { ok: true }]);
    const metrics = await get('/metrics');
    expect(metrics.headers.get('content-type')).toContain('text/plain; version=0.0.4');
    expect(await metrics.text()).toContain('service="cloud-mgmt"');
    expect((await get('/elsewhere')).status).toBe(404);
  });

  it('tells how it stands to its database and to NATS, and what it was asked', async () => {
    const host = await bench.start('cloud-mgmt', widgetService('a'));
    const { foundation } = await bench.start('lifecycle', {});
    await put(host, 'one');
    await foundation.calls.call('cloud-mgmt', 'who', {}, CALL);

    const text = await host.foundation.metrics.text();
    const value = (series: string): number => {
      const line = text.split('\n').find((each) => each.startsWith(series));
      return Number(line?.slice(line.lastIndexOf(' ') + 1));
    };
    expect(value('crate_postgres_database_size_bytes{')).toBeGreaterThan(1_000_000);
    expect(value('crate_postgres_connections{state="active"')).toBeGreaterThanOrEqual(1);
    expect(value('crate_postgres_pool_limit{')).toBe(5);
    expect(value('crate_postgres_longest_transaction_seconds{')).toBeLessThan(60);
    expect(value('crate_nats_connected{')).toBe(1);
    expect(value('crate_nats_rtt_seconds{')).toBeGreaterThan(0);
    expect(value('crate_nats_server_calls_total{method="who",code="OK"')).toBe(1);
    expect(value('crate_store_commit_seconds_count{')).toBeGreaterThanOrEqual(1);
    expect(value('crate_store_change_log_changes{')).toBeGreaterThanOrEqual(1);
    expect(value('crate_build_info{')).toBe(1);
    expect(text).not.toContain('crate_metric_collection_failures_total{');
    const sent = 'crate_nats_client_calls_total{peer="cloud-mgmt",method="who",code="OK"';
    expect(await foundation.metrics.text()).toContain(sent);
  });

  it('shows a cut connection to NATS, and counts it made again', async () => {
    const { foundation } = await bench.start('cloud-mgmt', {});
    process.kill(bench.nats.pid, 'SIGKILL');
    await eventually(async () => expect(await foundation.metrics.text()).toMatch(/crate_nats_connected\{.*\} 0/));
    await bench.nats.restart();
    await eventually(async () => expect(await foundation.metrics.text()).toMatch(/crate_nats_connected\{.*\} 1/));
    expect(await foundation.metrics.text()).toMatch(/crate_nats_reconnects_total\{.*\} 1/);
  });

  it('says that NATS is away, without a restart, and that it is back', async () => {
    const { get } = await startWithHealth(widgetService('a'));
    process.kill(bench.nats.pid, 'SIGKILL');
    await eventually(
      async () => {
        const ready = await get('/readyz');
        expect(ready.status).toBe(503);
        const { checks } = (await ready.json()) as { checks: { name: string; ok: boolean }[] };
        expect(checks.filter(({ ok }) => !ok).map(({ name }) => name)).toEqual(['nats']);
      },
      { timeoutMs: 60_000 },
    );
    expect((await get('/healthz')).status).toBe(200);

    await bench.nats.restart();
    await eventually(async () => expect((await get('/readyz')).status).toBe(200));
    const { foundation } = await bench.start('lifecycle', {});
    expect(await foundation.calls.call('cloud-mgmt', 'who', {}, CALL)).toBe('a');
  });

  it('is not ready while the service stops, but alive', async () => {
    let end = (): void => undefined;
    const { host, get } = await startWithHealth({ onStop: () => new Promise((resolve) => (end = () => resolve())) });
    const stopping = bench.stop(host);
    const report = await get('/readyz');
    expect(report.status).toBe(503);
    expect(await report.json()).toHaveProperty('checks.0', expect.objectContaining({ name: 'shutdown' }));
    expect((await get('/healthz')).status).toBe(200);
    end();
    await stopping;
    await expect(get('/healthz')).rejects.toThrow();
  });

  it('takes what is new for a while after it said that it stops', async () => {
    const port = await freePort();
    const overrides = { stopDelayMs: 2_000, health: { host: '127.0.0.1', port } };
    const host = await bench.start('cloud-mgmt', widgetService('a'), overrides);
    const { foundation } = await bench.start('lifecycle', {});
    const startedAt = performance.now();
    const stopping = bench.stop(host);
    await delay(500);
    // On a connection of its own each time, as a balancer opens them that has not heard yet.
    const ask = (): Promise<Response> => fetch(`http://127.0.0.1:${port}/readyz`, { headers: { connection: 'close' } });
    expect([(await ask()).status, (await ask()).status]).toEqual([503, 503]);
    expect(await foundation.calls.call('cloud-mgmt', 'who', {}, CALL)).toBe('a');
    await stopping;
    expect(performance.now() - startedAt).toBeGreaterThan(1_900);
    await expect(ask()).rejects.toThrow();
  });

  it('stops within seconds also while NATS is away', async () => {
    const { host } = await startWithHealth(widgetService('a'));
    process.kill(bench.nats.pid, 'SIGKILL');
    const startedAt = performance.now();
    await bench.stop(host);
    expect(performance.now() - startedAt).toBeLessThan(60_000);
    await bench.nats.restart();
  });
});
