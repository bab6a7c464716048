import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { settled } from '@crate/reconcile';
import { eventually } from '@crate/testing';
import { HostBench, ToyReconciler, type ToyParts } from './testing/host-bench.js';
import { GADGET, WIDGET } from './testing/toy-kinds.js';
import { NAMESPACE, put, widgetService } from './testing/widget-service.js';

let bench: HostBench;
beforeAll(async () => {
  bench = await HostBench.start();
});
afterAll(async () => bench.close());
beforeEach(async () => bench.useNewDatabase());
afterEach(async () => bench.stopAll());

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
    const startedAt = performance.now();
    await bench.start('lifecycle', {
      kinds: [{ definition: GADGET }],
      reconcilers: [{ reconciler, kind: GADGET, hints }],
    });
    for (const name of ['x', 'y', 'z']) await put(owner, name);

    await eventually(() => expect(woken).toContain('mine'));
    expect(looks[0]).toEqual([NAMESPACE]);
    // One at the end of each time of gathering, however many hints fell into it.
    expect(looks.length).toBeLessThanOrEqual(1 + (performance.now() - startedAt) / 500);
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
