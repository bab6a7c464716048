import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { TerraformSlots } from './terraform-slots.js';

afterEach(() => {
  jest.useRealTimers();
});

describe('TerraformSlots', () => {
  it('gives slots up to the limit without queueing', async () => {
    const slots = new TerraformSlots(2);
    const told: number[] = [];
    await slots.acquire({ onQueued: (ahead) => told.push(ahead) });
    await slots.acquire({ onQueued: (ahead) => told.push(ahead) });

    expect(told).toEqual([]);
    expect(slots.running).toBe(2);
  });

  it('serves first come first and tells everybody their place', async () => {
    const slots = new TerraformSlots(1);
    const first = await slots.acquire();
    const places: Record<string, number[]> = { b: [], c: [], d: [] };
    const order: string[] = [];
    const enter = async (name: string): Promise<() => void> => {
      const release = await slots.acquire({ onQueued: (ahead) => places[name]?.push(ahead) });
      order.push(name);
      return release;
    };
    const [b, c, d] = [enter('b'), enter('c'), enter('d')];

    first();
    (await b)();
    (await c)();
    (await d)();

    expect(order).toEqual(['b', 'c', 'd']);
    expect(places).toEqual({ b: [0], c: [1, 0], d: [2, 1, 0] });
    expect(slots.running).toBe(0);
  });

  it('lets who gives up leave the line', async () => {
    const slots = new TerraformSlots(1);
    const release = await slots.acquire();
    const giveUp = new AbortController();
    const places: number[] = [];
    const gone = slots.acquire({ signal: giveUp.signal });
    const next = slots.acquire({ onQueued: (ahead) => places.push(ahead) });

    giveUp.abort(new Error('Shutting down'));
    await expect(gone).rejects.toThrow('Shutting down');
    expect(places).toEqual([1, 0]);

    release();
    await next;
    expect(slots.waiting).toBe(0);
    expect(slots.running).toBe(1);
  });

  it('has who is far back leave the line after a while, and nobody near', async () => {
    jest.useFakeTimers();
    const slots = new TerraformSlots(1);
    const release = await slots.acquire();
    const near = slots.acquireOrLeave('near', {}, 1_000);
    const far = slots.acquireOrLeave('far', {}, 1_000);

    await jest.advanceTimersByTimeAsync(999);
    expect(slots.waiting).toBe(2);
    await jest.advanceTimersByTimeAsync(1);
    expect(await far).toBeUndefined();
    await jest.advanceTimersByTimeAsync(10_000);
    expect(slots.waiting).toBe(1);

    release();
    expect(await near).toBeDefined();
    expect(jest.getTimerCount()).toBe(0);
  });

  it('gives who comes back its place before those who came later, for some minutes', async () => {
    jest.useFakeTimers();
    const slots = new TerraformSlots(1);
    const release = await slots.acquire();
    void slots.acquireOrLeave('near', {}, 1_000);
    const places: number[] = [];
    const [far, lost] = ['far', 'lost'].map((key) => slots.acquireOrLeave(key, {}, 1_000));
    await jest.advanceTimersByTimeAsync(500);
    void slots.acquireOrLeave('later', { onQueued: (ahead) => places.push(ahead) }, 1_000_000);
    await jest.advanceTimersByTimeAsync(500);
    expect([await far, await lost]).toEqual([undefined, undefined]);

    const back: number[] = [];
    void slots.acquireOrLeave('far', { onQueued: (ahead) => back.push(ahead) }, 1_000_000);
    await jest.advanceTimersByTimeAsync(301_000);
    const late: number[] = [];
    void slots.acquireOrLeave('lost', { onQueued: (ahead) => late.push(ahead) }, 1_000_000);
    expect([back, places.at(-1), late]).toEqual([[1], 2, [3]]);
    release();
  });

  it('has the second part of a work follow its first', async () => {
    const slots = new TerraformSlots(1);
    const first = await slots.acquireOrLeave('one', { keepsPlace: true });
    const other = slots.acquireOrLeave('other', {});
    const places: number[] = [];
    void slots.acquireOrLeave('one', { onQueued: (ahead) => places.push(ahead) });
    expect(places).toEqual([0]);

    first?.();
    await new Promise(setImmediate);
    expect([slots.running, slots.waiting]).toEqual([1, 1]);
    void other;
  });

  it('tells who waits with patience of a restart as anybody', async () => {
    const slots = new TerraformSlots(1);
    await slots.acquire();
    const stop = new AbortController();
    const waiting = slots.acquireOrLeave('one', { signal: stop.signal });
    stop.abort(new Error('Shutting down'));
    await expect(waiting).rejects.toThrow('Shutting down');
  });

  it('refuses who gave up before, and takes a slot back only once', async () => {
    const slots = new TerraformSlots(1);
    await expect(slots.acquire({ signal: AbortSignal.abort(new Error('Over')) })).rejects.toThrow('Over');

    const release = await slots.acquire();
    const waiting = slots.acquire();
    release();
    release();
    await waiting;
    expect(slots.running).toBe(1);
  });

  it('gives to work in no hurry only what nobody else needs, and never the last of several', async () => {
    const slots = new TerraformSlots(2);
    const first = slots.tryAcquire();
    expect(first).toBeDefined();
    expect(slots.tryAcquire()).toBeUndefined();
    const release = await slots.acquire();
    first?.();
    first?.();
    expect(slots.running).toBe(1);
    expect(slots.tryAcquire()).toBeUndefined();
    release();
    expect(slots.tryAcquire()).toBeDefined();
  });

  it('gives the only slot to work in no hurry when nobody waits', async () => {
    const slots = new TerraformSlots(1);
    const release = slots.tryAcquire();
    const waiting = slots.acquire();
    release?.();
    expect(slots.tryAcquire()).toBeUndefined();
    (await waiting)();
    expect(slots.tryAcquire()).toBeDefined();
  });
});
