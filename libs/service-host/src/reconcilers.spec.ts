import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { KubeObject, WatchEvent } from '@crate/api';
import {
  InMemoryWorkQueue,
  Reconciler,
  settled,
  type Outcome,
  type ReconcileEngine,
  type ReconcileKey,
  type WorkLease,
} from '@crate/reconcile';
import { UNCHANGED, type ChangeHint } from '@crate/messaging';
import type { WatchOptions } from '@crate/resource-client';
import { InMemoryLogger } from '@crate/telemetry';
import { eventually } from '@crate/testing';
import type { ForeignChange } from './foreign-watch.js';
import type { Foundation } from './foundation.js';
import { ReconcilerWakes } from './reconcilers.js';
import type { ReconcilerWatch } from './service-parts.js';
import { GADGET, WIDGET } from './testing/toy-kinds.js';

const PARENT: ReconcileKey = { namespace: 'team-a', name: 'parent' };

let now: number;
let queue: CountingQueue;
let replicas: Replica[];
beforeEach(() => {
  now = 0;
  queue = new CountingQueue(() => now);
  replicas = [];
});
afterEach(async () => Promise.all(replicas.map((replica) => replica.stop())));

class CountingQueue extends InMemoryWorkQueue {
  enqueued = 0;

  override async enqueue(...parameters: Parameters<InMemoryWorkQueue['enqueue']>): Promise<void> {
    await super.enqueue(...parameters);
    this.enqueued += 1;
  }

  claimAll(): Promise<readonly WorkLease[]> {
    return this.claim('gadget', 10, 10_000);
  }
}

class Gadgets extends Reconciler {
  override readonly name = 'gadget';

  override reconcile(): Promise<Outcome> {
    return Promise.resolve(settled);
  }
}

/** A process of a service that follows widgets. */
class Replica {
  readonly woken: string[] = [];
  /** Revisions that the store was told to look for. */
  readonly looked: string[] = [];
  /** Brings a hint. */
  told: (hint: ChangeHint) => void = () => undefined;
  private readonly wakes: ReconcilerWakes;
  private readonly changes: WatchEvent[] = [];
  private hear: () => void = () => undefined;

  constructor(watch: Pick<ReconcilerWatch, 'essenceOf'> = {}) {
    const watches = [{ kind: WIDGET, keysOf: () => [PARENT], ...watch }];
    const registered = { reconciler: new Gadgets(), kind: GADGET, watches };
    const engine = { wake: (name: string) => this.woken.push(name) } as unknown as ReconcileEngine;
    const foundation = {
      service: 'lifecycle',
      logger: new InMemoryLogger(),
      queue,
      store: { onChange: () => () => undefined, notify: (revision: string) => this.looked.push(revision) },
      hints: { subscribe: (listener: (hint: ChangeHint) => void) => ((this.told = listener), () => undefined) },
      clients: { for: () => ({ watch: (_: WatchOptions, signal: AbortSignal) => this.watch(signal) }) },
    } as unknown as Foundation;
    this.wakes = new ReconcilerWakes(foundation, engine, [registered]);
    this.wakes.start();
    replicas.push(this);
  }

  /** Hears of a change at that time, and has made of it what it makes. */
  async hearAt(time: number, status: object = {}, type: ForeignChange = 'MODIFIED'): Promise<void> {
    now = time;
    const before = queue.enqueued;
    const metadata = { name: 'child', uid: '1', resourceVersion: '7' } as KubeObject['metadata'];
    this.changes.push({ type, object: { apiVersion: 'v1', kind: 'Widget', metadata, status } });
    this.hear();
    await eventually(() => expect(queue.enqueued).toBe(before + 1));
  }

  stop(): Promise<void> {
    return this.wakes.stop();
  }

  private async *watch(signal: AbortSignal): AsyncGenerator<WatchEvent> {
    signal.addEventListener('abort', () => this.hear());
    while (!signal.aborted) {
      const change = this.changes.shift();
      if (change) yield change;
      else await new Promise<void>((resolve) => (this.hear = resolve));
    }
  }
}

describe('a change of a child', () => {
  it('is one pass of its parent, however many replicas hear of it', async () => {
    const [first, second] = [new Replica(), new Replica()];
    await first.hearAt(0);
    expect(await queue.claimAll()).toEqual([]);
    await second.hearAt(20);

    now = 50;
    const leases = await queue.claimAll();
    expect(leases.map(({ key }) => key)).toEqual([PARENT]);
    expect(await queue.finish(leases[0] as WorkLease, { kind: 'again', afterMs: 60_000, failed: false })).toBe(60_000);
  });

  it('is one pass with what follows at once, which does not put it off', async () => {
    const replica = new Replica();
    for (const time of [0, 20, 40]) await replica.hearAt(time);
    now = 50;
    expect(await queue.claimAll()).toHaveLength(1);
  });

  it('that comes during a pass is looked at after it', async () => {
    const replica = new Replica();
    await replica.hearAt(0);
    now = 50;
    const [lease] = await queue.claimAll();
    await replica.hearAt(60);
    expect(await queue.finish(lease as WorkLease, { kind: 'again', afterMs: 60_000, failed: false })).toBe(50);
  });

  it('wakes the engine once it is due', async () => {
    const replica = new Replica();
    await replica.hearAt(0);
    expect(replica.woken).toEqual([]);
    await eventually(() => expect(replica.woken).toEqual(['gadget']));
  });
});

describe('a change of what passes only show', () => {
  const essenceOf = ({ status }: KubeObject): unknown => (status as { readonly phase?: string }).phase;
  const phase = 'Running';
  let replica: Replica;
  beforeEach(async () => {
    replica = new Replica({ essenceOf });
    await replica.hearAt(0, { phase });
    now = 50;
    for (const lease of await queue.claimAll())
      await queue.finish(lease, { kind: 'again', afterMs: 60_000, failed: false });
  });

  const dueIn = (): Promise<number | undefined> => queue.nextDueInMs('gadget');

  it('is one pass with those of two seconds', async () => {
    await replica.hearAt(100, { phase, step: 1 });
    expect(await dueIn()).toBe(2_000);
    await replica.hearAt(1_100, { phase, step: 2 });
    expect(await dueIn()).toBe(1_000);
  });

  it('does not wait longer than what passes go by', async () => {
    await replica.hearAt(100, { phase, step: 1 });
    await replica.hearAt(200, { phase: 'Done', step: 2 });
    expect(await dueIn()).toBe(50);
  });

  it.each(['ADDED', 'DELETED'] as const)('is news when the object is %s', async (type) => {
    if (type === 'ADDED') await replica.hearAt(100, { phase }, 'DELETED');
    await replica.hearAt(100, { phase }, type);
    expect(await dueIn()).toBe(50);
  });

  it('wakes the engine once it is due', async () => {
    await eventually(() => expect(replica.woken).toEqual(['gadget']));
    await replica.hearAt(100, { phase, step: 1 });
    await eventually(() => expect(replica.woken).toEqual(['gadget', 'gadget']));
  });
});

describe('a hint', () => {
  const about = (hint: Partial<ChangeHint>): ChangeHint => {
    const { group, kind } = GADGET;
    return { service: 'lifecycle', group, kind, ...PARENT, revision: UNCHANGED, ...hint };
  };

  it('on an object that did not change wakes the reconcilers of its kind', () => {
    const replica = new Replica();
    replica.told(about({}));
    expect(replica).toMatchObject({ woken: ['gadget'], looked: [] });
  });

  it('on a change has the store look, which tells what it finds', () => {
    const replica = new Replica();
    replica.told(about({ revision: '7' }));
    expect(replica).toMatchObject({ woken: [], looked: ['7'] });
  });

  it.each([{ service: 'cloud-mgmt' }, { kind: 'Widget' }])('on what is not ours wakes nobody: %j', (other) => {
    const replica = new Replica();
    replica.told(about(other));
    expect(replica).toMatchObject({ woken: [], looked: [] });
  });
});
