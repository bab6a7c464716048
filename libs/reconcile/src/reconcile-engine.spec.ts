import { afterEach, describe, expect, it } from '@jest/globals';
import { conflict, invalidSpec, invariant, PlatformError, unavailable, type ErrorCode } from '@crate/errors';
import { demo, EngineFixtures, failing } from './engine.fixture.js';
import { gone, settled, waiting, type WorkQueue } from './index.js';

const MINUTE_MS = 60_000;

const fixtures = new EngineFixtures();
afterEach(() => fixtures.stop());

describe('a pass', () => {
  it('is given what it needs to fence, time and trace its work', async () => {
    const f = fixtures.make();
    await f.start(demo);

    expect(f.reconciler.passes[0]).toMatchObject({
      key: demo,
      context: {
        epoch: 1n,
        attempts: 0,
        traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
        lease: { reconciler: 'cluster', key: demo, epoch: 1n, isTakeover: false },
      },
    });
  });

  it('logs under its context', async () => {
    const f = fixtures.make({
      behaviour: (_key, { traceId }) => {
        f.logger.info('Looking', { seen: traceId });
        return settled;
      },
    });
    await f.start(demo);
    const [line] = f.logger.at('info');

    expect(line?.fields).toMatchObject({ ...demo, kind: 'Cluster', reconciler: 'cluster', reconcileId: '1' });
    expect(line?.fields['traceId']).toBe(line?.fields['seen']);
  });
});

describe('when to look again', () => {
  it('does not ask the queue after a pass whose key is due late', async () => {
    let claims = 0;
    const f = fixtures.make({
      queueAs: (queue) => {
        const claim = queue.claim.bind(queue);
        queue.claim = (...values) => {
          claims += 1;
          return claim(...values);
        };
        return queue;
      },
    });
    await f.start(demo);
    const before = claims;
    await f.change(demo);

    expect(f.reconciler.passes).toHaveLength(2);
    expect(claims - before).toBe(1);
  });

  it('comes back to a key that was due again soon while others wait for longer', async () => {
    const waits = [300, 40];
    const f = fixtures.make({ behaviour: () => waiting('WaitingForNodes', waits.shift() ?? 60_000) });
    await f.start(demo, { namespace: 'team-a', name: 'other' });
    expect(f.reconciler.passes).toHaveLength(2);
    await f.scheduler.advance(60);
    expect(f.reconciler.passes).toHaveLength(3);
    await f.scheduler.advance(300);
    expect(f.reconciler.passes).toHaveLength(4);
  });

  it.each([
    {
      name: 'settled',
      reason: 'a missed change is found by the resync',
      behaviour: () => settled,
      wantMs: 30 * MINUTE_MS,
    },
    {
      name: 'waiting',
      reason: 'the reconciler knows best',
      behaviour: () => waiting('WaitingForNodes', 7_000),
      wantMs: 7_000,
    },
    {
      name: 'waiting for no time',
      reason: 'a wrong 0 must not take a whole core',
      behaviour: () => waiting('WaitingForNodes', 0),
      wantMs: 50,
    },
    { name: 'Unavailable', reason: 'backoff', behaviour: failing([unavailable('Away')]), wantMs: 500 },
    { name: 'an unknown error', reason: 'it counts as Unavailable', behaviour: failing([new Error('?')]), wantMs: 500 },
    {
      name: 'Unavailable with a time',
      reason: 'the other side knows best',
      behaviour: failing([new PlatformError('TooManyRequests', 'Slow down', { details: { retryAfterMs: 9_000 } })]),
      wantMs: 9_000,
    },
    ...[Number.NaN, Number.POSITIVE_INFINITY].map((retryAfterMs) => ({
      name: `Unavailable for ${retryAfterMs} ms`,
      reason: 'that is no time',
      behaviour: failing([new PlatformError('Unavailable', 'Away', { details: { retryAfterMs } })]),
      wantMs: 500,
    })),
    {
      name: 'Unavailable for ever',
      reason: 'the resync does not wait for the other side',
      behaviour: failing([new PlatformError('Unavailable', 'Away', { details: { retryAfterMs: 1e15 } })]),
      wantMs: 30 * MINUTE_MS,
    },
    {
      name: 'Forbidden',
      reason: 'slow',
      behaviour: failing([new PlatformError('Forbidden', 'No')]),
      wantMs: 5 * MINUTE_MS,
    },
    {
      name: 'InvalidSpec',
      reason: 'only the person can help',
      behaviour: failing([invalidSpec('Bad', [])]),
      wantMs: 30 * MINUTE_MS,
    },
    { name: 'Invariant', reason: 'a bug stays a bug', behaviour: failing([invariant('Bug')]), wantMs: 30 * MINUTE_MS },
  ])('after $name: $reason', async ({ behaviour, wantMs }) => {
    const f = fixtures.make({ behaviour });
    await f.start(demo);
    await f.scheduler.advance(wantMs - 1);
    expect(f.passes).toBe(1);
    await f.scheduler.advance(30);
    expect(f.passes).toBe(2);
  });

  it('forgets a key whose object is gone', async () => {
    const f = fixtures.make({ behaviour: () => gone });
    await f.start(demo);

    expect(f.passes).toBe(1);
    expect(await f.queue.nextDueInMs('cluster')).toBeUndefined();
  });

  it.each<{ code: ErrorCode }>([{ code: 'InvalidSpec' }, { code: 'Forbidden' }, { code: 'Unavailable' }])(
    'at once after $code when something changed',
    async ({ code }) => {
      const f = fixtures.make({ behaviour: failing([new PlatformError(code, 'No')]) });
      await f.start(demo);
      await f.change(demo);

      expect(f.passes).toBe(2);
    },
  );

  it('doubles the backoff up to two minutes and starts anew after a success', async () => {
    const f = fixtures.make({ behaviour: failing(Array.from({ length: 10 }, () => unavailable('Away'))) });
    await f.start(demo);
    await f.scheduler.advance(20 * MINUTE_MS);
    const times = f.reconciler.passes.map((pass) => pass.at);
    const gaps = times.slice(1).map((time, index) => Math.round((time - (times[index] ?? 0)) / 500));

    expect(gaps).toEqual([1, 2, 4, 8, 16, 32, 64, 120, 120, 120]);
    expect(f.reconciler.passes.map((pass) => pass.context.attempts)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    await f.change(demo);
    expect(f.reconciler.passes.at(-1)?.context.attempts).toBe(0);
  });

  it('repeats a conflict at once and silently, but not for ever', async () => {
    const f = fixtures.make({ behaviour: failing(Array.from({ length: 7 }, () => conflict('Stale'))) });
    await f.start(demo);
    await f.scheduler.advance(200);
    expect(f.passes).toBe(6);
    expect(f.logger.at('warn')).toHaveLength(1);

    await f.scheduler.advance(2_000);
    expect(f.passes).toBe(8);
  });
});

describe('errors', () => {
  it.each([
    { error: unavailable('Away'), level: 'warn' as const },
    { error: invalidSpec('Bad', []), level: 'warn' as const },
    { error: invariant('Bug'), level: 'error' as const },
  ])('$error.code is logged once, at $level', async ({ error, level }) => {
    const f = fixtures.make({ behaviour: failing([error]) });
    await f.start(demo);

    expect(f.logger.at(level)).toEqual([
      expect.objectContaining({
        message: 'Pass failed',
        fields: expect.objectContaining({ error, attempts: 0, ...demo }),
      }),
    ]);
    expect([...f.logger.at('warn'), ...f.logger.at('error')]).toHaveLength(1);
  });
});

describe('work', () => {
  it('is taken up to the concurrency, and on as soon as a pass ends', async () => {
    const ends: (() => void)[] = [];
    const f = fixtures.make({
      behaviour: () => new Promise((resolve) => ends.push(() => resolve(settled))),
      reconciler: { concurrency: 2 },
    });
    await f.start(...['a', 'b', 'c'].map((name) => ({ namespace: '', name })));
    expect(f.passes).toBe(2);
    expect(await f.queue.position('cluster', { namespace: '', name: 'c' })).toBe(1);

    ends[0]?.();
    await f.scheduler.settle();
    expect(f.passes).toBe(3);
  });

  it('gives way to requests while the process is busy, and never stands still', async () => {
    const keys = Array.from({ length: 1_000 }, (_, index) => ({ namespace: '', name: `key-${index}` }));
    const f = fixtures.make({ reconciler: { concurrency: 100 } });
    f.scheduler.share = 0.9;
    await f.scheduler.advance(50);
    await f.start(...keys);
    await f.scheduler.advance(1_000);
    const begunInTheFirst = f.passes;
    await f.scheduler.advance(1_000);
    expect(f.passes - begunInTheFirst).toBeGreaterThanOrEqual(76);
    expect(f.passes - begunInTheFirst).toBeLessThanOrEqual(84);

    f.scheduler.share = 0.1;
    await f.scheduler.advance(1_000);
    expect(f.passes).toBe(keys.length);
  });

  it('gives way for a moment only, also when no pass ends', async () => {
    const keys = Array.from({ length: 6 }, (_, index) => ({ namespace: '', name: `key-${index}` }));
    const f = fixtures.make({ behaviour: () => new Promise(() => undefined), reconciler: { concurrency: 10 } });
    f.scheduler.share = 0.9;
    await f.scheduler.advance(50);
    await f.start(...keys);
    await f.scheduler.advance(5);
    expect(f.passes).toBe(4);
    f.scheduler.share = 0;
    await f.scheduler.advance(100);

    expect(f.passes).toBe(6);
  });

  it('is found by the poll when nobody gave a hint', async () => {
    const f = fixtures.make();
    await f.start();
    await f.queue.enqueue('cluster', [demo]);
    await f.scheduler.advance(4_900);
    expect(f.passes).toBe(0);
    await f.scheduler.advance(100);
    expect(f.passes).toBe(1);
  });

  it('is not looked for again and again under a storm of hints', async () => {
    const f = fixtures.make();
    let looks = 0;
    const { claim } = f.queue;
    f.queue.claim = (...values) => {
      looks++;
      return claim.apply(f.queue, values);
    };
    await f.start();
    for (let hint = 0; hint < 100; hint++) {
      f.engine.wake();
      await f.scheduler.advance(1);
    }

    expect(looks).toBeGreaterThan(5);
    expect(looks).toBeLessThan(15);
  });

  it('that changes during its pass is looked at again', async () => {
    const f = fixtures.make({
      behaviour: async (key) => {
        if (f.passes === 1) await f.queue.enqueue('cluster', [key]);
        return settled;
      },
    });
    await f.start(demo);

    expect(f.passes).toBe(2);
  });

  it('goes on when the queue comes back, with one line for each', async () => {
    let isAway = false;
    const guard = (queue: WorkQueue): WorkQueue =>
      new Proxy(queue, {
        get: (target, property) => {
          const method = Reflect.get(target, property) as (...values: unknown[]) => unknown;
          return (...values: unknown[]) =>
            isAway ? Promise.reject(unavailable('Away')) : method.apply(target, values);
        },
      });
    const f = fixtures.make({ queueAs: guard });
    await f.start();
    isAway = true;
    await f.scheduler.advance(60_000);
    isAway = false;
    await f.change(demo);
    await f.scheduler.advance(5_000);

    expect(f.passes).toBe(1);
    expect(f.logger.lines.map((line) => line.message).filter((message) => message.startsWith('Work'))).toEqual([
      'Work queue does not answer',
      'Work queue answers again',
    ]);
  });
});

describe('metrics', () => {
  it('tell depth, wait, duration by outcome, and retries', async () => {
    const f = fixtures.make({ behaviour: failing([unavailable('Away')]) });
    await f.queue.enqueue('cluster', [demo]);
    await f.scheduler.advance(3_000);
    await f.start();
    await f.scheduler.advance(1_000);
    const reconciler = 'cluster';
    const text = await f.metrics.text();

    expect(f.metrics.observed('crate_reconcile_wait_seconds', { reconciler })[0]).toBe(3);
    expect(
      f.metrics.observed('crate_reconcile_pass_seconds', { reconciler, outcome: 'failed', reason: 'Unavailable' }),
    ).toHaveLength(1);
    expect(
      f.metrics.observed('crate_reconcile_pass_seconds', { reconciler, outcome: 'settled', reason: '' }),
    ).toHaveLength(1);
    expect(f.metrics.value('crate_reconcile_retries_total', { reconciler })).toBe(1);
    expect(text).toContain('crate_reconcile_queue_depth{reconciler="cluster",state="due"} 0');
  });

  it('take no free text as a label', async () => {
    const f = fixtures.make({ behaviour: () => waiting('Waiting for i-0abc of demo', 1_000) });
    await f.start(demo);

    expect(
      f.metrics.observed('crate_reconcile_pass_seconds', {
        reconciler: 'cluster',
        outcome: 'waiting',
        reason: 'Other',
      }),
    ).toHaveLength(1);
  });
});

describe('register', () => {
  it('refuses a second reconciler of one name, and any after the start', async () => {
    const f = fixtures.make();
    expect(() => f.engine.register({ reconciler: f.reconciler })).toThrow(/twice/);
    await f.start();
    expect(() => f.engine.register({ reconciler: f.reconciler })).toThrow(/started/);
  });
});
