import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { WatchEvent } from '@crate/api';
import { eventually } from '@crate/testing';
import type { ServiceHost } from './service-host.js';
import { HostBench, type ToyParts } from './testing/host-bench.js';
import { WIDGET } from './testing/toy-kinds.js';
import { CALL, put, widgetService, type WidgetPass } from './testing/widget-service.js';

let bench: HostBench;
beforeAll(async () => {
  bench = await HostBench.start();
});
afterAll(async () => bench.close());
beforeEach(async () => bench.useNewDatabase());
afterEach(async () => bench.stopAll());

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

    const tookMs: number[] = [];
    for (const name of ['first', 'second', 'third', 'fourth']) {
      const startedAt = performance.now();
      await put(one, name);
      const { value } = (await events.next()) as IteratorResult<WatchEvent, undefined>;
      tookMs.push(performance.now() - startedAt);
      expect(value).toMatchObject({ type: 'ADDED', object: { metadata: { name } } });
    }
    // The store of the other replica looks by itself every five seconds only: what comes after a look would wait for the next one.
    expect(Math.min(...tookMs.slice(1))).toBeLessThan(4_500);
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
    const answers: string[] = [];
    const stopping = bench.stop(replicas[0] as ServiceHost).then(() => (stopped = true));
    const ask = async (): Promise<void> => {
      while (!stopped || answers.length < 100) {
        answers.push(await foundation.calls.call<string>('cloud-mgmt', 'slow', {}, CALL, 60_000));
      }
    };
    await Promise.all([stopping, ...Array.from({ length: 50 }, ask)]);
    expect(new Set(answers)).toEqual(new Set(['done']));
  });
});
