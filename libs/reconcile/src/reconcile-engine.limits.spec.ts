import { afterEach, describe, expect, it } from '@jest/globals';
import { unavailable } from '@crate/errors';
import { demo, EngineFixtures, failing, other, type Behaviour } from './engine.fixture.js';
import { isInterruption, settled } from './index.js';

const MINUTE_MS = 60_000;
const never = (): Promise<never> => new Promise(() => undefined);

const fixtures = new EngineFixtures();
afterEach(() => fixtures.stop());

function untilAborted(signal: 'remoteSignal' | 'signal'): Behaviour {
  return (_key, context) =>
    new Promise((_resolve, reject) => {
      context[signal].addEventListener('abort', () =>
        reject(new DOMException('This operation was aborted', 'AbortError')),
      );
    });
}

describe('deadlines', () => {
  it('end calls to the outside first, so that the pass can still record why', async () => {
    const recorded: unknown[] = [];
    const f = fixtures.make({
      behaviour: async (_key, context) => {
        await new Promise((resolve) => context.remoteSignal.addEventListener('abort', resolve));
        recorded.push(f.scheduler.now(), context.signal.aborted, context.remoteSignal.reason);
        throw context.remoteSignal.reason;
      },
    });
    await f.start(demo);
    await f.scheduler.advance(60_000);

    expect(recorded).toEqual([
      60_000,
      false,
      expect.objectContaining({ code: 'Timeout', message: 'Took longer than 60 s' }),
    ]);
    expect(f.logger.at('warn')[0]?.fields).toMatchObject({ error: { code: 'Timeout' } });
  });

  it('explain what libraries call an aborted operation', async () => {
    const f = fixtures.make({ behaviour: untilAborted('remoteSignal') });
    await f.start(demo);
    await f.scheduler.advance(60_000);

    expect(f.logger.at('warn')[0]?.fields.error).toMatchObject({ code: 'Timeout' });
  });

  it('end the rest at the second one', async () => {
    const f = fixtures.make({ behaviour: untilAborted('signal') });
    await f.start(demo);
    await f.scheduler.advance(74_999);
    expect(f.logger.at('warn')).toEqual([]);
    await f.scheduler.advance(1);

    expect(f.logger.at('warn').map((line) => line.message)).toEqual(['Ending a pass by force', 'Pass failed']);
  });

  it('that a pass ignores do not let a second one start beside it', async () => {
    const f = fixtures.make({ behaviour: never });
    await f.start(demo);
    await f.change(demo);
    await f.scheduler.advance(60 * MINUTE_MS);

    expect(f.passes).toBe(1);
  });

  it('count from the end of a wait for a turn, however long that was', async () => {
    let whenEnded: number | undefined;
    const f = fixtures.make({
      behaviour: async (_key, context) => {
        await context.inLine?.(() => new Promise<void>((resolve) => f.scheduler.after(180 * MINUTE_MS, resolve)));
        context.remoteSignal.addEventListener('abort', () => (whenEnded = f.scheduler.now()));
        return untilAborted('signal')(demo, context);
      },
    });
    await f.start(demo);
    await f.scheduler.advance(180 * MINUTE_MS + 74_999);
    expect([f.logger.at('warn'), whenEnded]).toEqual([[], 181 * MINUTE_MS]);

    await f.scheduler.advance(1);
    expect(f.logger.at('warn').map((line) => line.message)).toEqual(['Ending a pass by force', 'Pass failed']);
  });

  it('must leave time to record a timeout', () => {
    expect(() => fixtures.make({ reconciler: { remoteDeadlineMs: 80_000 } })).toThrow(/no time to record/);
  });
});

describe('leases', () => {
  it('are renewed while a pass runs', async () => {
    const f = fixtures.make({
      behaviour: untilAborted('signal'),
      reconciler: { remoteDeadlineMs: 300_000, deadlineMs: 310_000 },
    });
    await f.start(demo);
    await f.scheduler.advance(300_000);

    expect(await f.queue.claim('cluster', 1, 1_000)).toEqual([]);
    expect(f.passes).toBe(1);
  });

  it.each([
    { name: 'the queue does not answer', renew: () => Promise.reject(unavailable('Away')), byMs: 10_000 },
    { name: 'the queue hangs', renew: never, byMs: 10_000 },
    { name: 'another replica took over', renew: () => Promise.resolve(false), byMs: 4_000 },
  ])('that are lost abort the pass by both signals when $name', async ({ renew, byMs }) => {
    const seen: unknown[] = [];
    const f = fixtures.make({
      behaviour: (_key, context) => {
        context.signal.addEventListener('abort', () => seen.push(f.scheduler.now(), context.remoteSignal.aborted));
        return untilAborted('signal')(demo, context);
      },
    });
    f.queue.renew = renew;
    await f.start(demo);
    await f.scheduler.advance(byMs);

    expect(seen).toEqual([byMs, true]);
    expect(f.logger.at('warn').map((line) => line.message)).toEqual(['Lost the lease']);
    expect(f.metrics.value('crate_reconcile_lost_leases_total', { reconciler: 'cluster' })).toBe(1);
  });

  it('that are lost are told apart from the deadline of a pass, also after it', async () => {
    const f = fixtures.make({ behaviour: never });
    await f.start(demo);
    await f.scheduler.advance(5 * MINUTE_MS);
    const context = f.reconciler.passes[0]?.context;
    expect([context?.signal.aborted, context?.lost?.aborted]).toEqual([true, false]);

    f.queue.renew = () => Promise.resolve(false);
    await f.scheduler.advance(MINUTE_MS);
    expect(context?.lost?.reason).toMatchObject({ code: 'Conflict' });
  });

  it('of our own earlier pass, once lost, let the next pass begin only when that one has ended', async () => {
    const ends: (() => void)[] = [];
    const f = fixtures.make({
      behaviour: () => new Promise((resolve) => ends.push(() => resolve(settled))),
      reconciler: { concurrency: 2 },
    });
    const { renew } = f.queue;
    f.queue.renew = (lease, leaseMs) => (lease.epoch === 1n ? never() : renew.call(f.queue, lease, leaseMs));
    await f.start(demo);
    await f.scheduler.advance(35_000);
    expect(f.passes).toBe(1);
    expect(await f.queue.depth('cluster')).toEqual({ due: 0, leased: 1 });

    ends[0]?.();
    await f.scheduler.settle();
    expect(f.reconciler.passes.map((pass) => pass.context.epoch)).toEqual([1n, 2n]);
    expect(f.reconciler.passes[1]?.context.lease?.isTakeover).toBe(true);
  });
});

describe('stop', () => {
  it('gives an interrupted key back at once, with its attempts and without blame', async () => {
    const f = fixtures.make({ behaviour: failing([unavailable('Away')]) });
    await f.start(demo);
    let thrown: unknown;
    f.reconciler.behaviour = (_key, { remoteSignal }) =>
      new Promise((_resolve, reject) => {
        remoteSignal.addEventListener('abort', () => reject((thrown = remoteSignal.reason as Error)));
      });
    await f.change(demo);
    await f.stop(20);

    expect(isInterruption(thrown)).toBe(true);
    expect(f.logger.at('warn')).toHaveLength(1);
    expect(await f.queue.claim('cluster', 1, 1_000)).toEqual([
      expect.objectContaining({ attempts: 1, isTakeover: false }),
    ]);
  });

  it('lets a pass end well within the grace time', async () => {
    let end: () => void = () => undefined;
    const f = fixtures.make({ behaviour: () => new Promise((resolve) => (end = () => resolve(settled))) });
    await f.start(demo, other);
    const stopped = f.engine.stop();
    end();
    await f.scheduler.advance(20_000);
    await stopped;

    const left = await f.queue.claim('cluster', 2, 1_000);
    expect(left.map((lease) => lease.isTakeover)).toEqual([]);
    expect(await f.queue.depth('cluster')).toEqual({ due: 0, leased: 1 });
  });

  it('begins no pass any more', async () => {
    const f = fixtures.make();
    await f.start();
    await f.stop(20);
    await f.change(demo);
    await f.scheduler.advance(60_000);

    expect(f.passes).toBe(0);
  });

  it('keeps the lease of a pass that will not end until it runs out', async () => {
    const f = fixtures.make({ behaviour: never });
    await f.start(demo);
    await f.stop();
    expect(await f.queue.claim('cluster', 1, 1_000)).toEqual([]);

    await f.scheduler.advance(30_000);
    expect(await f.queue.claim('cluster', 1, 1_000)).toEqual([expect.objectContaining({ isTakeover: true })]);
  });
});
