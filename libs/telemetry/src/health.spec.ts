import { describe, expect, it } from '@jest/globals';
import { HealthRegistry } from './index.js';

describe('HealthRegistry', () => {
  it('is ready when every check passes', async () => {
    const health = new HealthRegistry();
    health.register('postgres', () => Promise.resolve());

    expect(await health.ready()).toEqual({
      ok: true,
      checks: [{ name: 'postgres', ok: true, tookMs: expect.any(Number) }],
    });
  });

  it.each([
    { name: 'rejects', check: () => Promise.reject(new Error('postgres://hunter2')), message: 'Check failed' },
    {
      name: 'throws',
      check: () => {
        throw new Error('hunter2');
      },
      message: 'Check failed',
    },
    { name: 'hangs', check: () => new Promise(() => undefined), message: 'No answer within 20 ms' },
  ])('is not ready when a check $name, stays live, and tells no detail', async ({ check, message }) => {
    const health = new HealthRegistry();
    health.register('nats', () => undefined);
    health.register('postgres', check, 20);
    const report = await health.ready();

    expect(report.ok).toBe(false);
    expect(report.checks.find((each) => each.name === 'postgres')).toMatchObject({ ok: false, message });
    expect(health.live().ok).toBe(true);
  });

  it('aborts a check that takes too long', async () => {
    const health = new HealthRegistry();
    const aborted = new Promise<void>((resolve) => {
      health.register('slow', (signal) => new Promise(() => signal.addEventListener('abort', () => resolve())), 10);
    });
    await health.ready();

    await expect(aborted).resolves.toBeUndefined();
  });

  it('is not ready while stopping', async () => {
    const health = new HealthRegistry();
    health.drain();

    expect(await health.ready()).toMatchObject({ ok: false, checks: [{ name: 'shutdown', message: 'Stopping' }] });
  });

  it('takes a check away, but not the one that replaced it', async () => {
    const health = new HealthRegistry();
    const removeFirst = health.register('nats', () => Promise.reject(new Error('away')));
    const removeSecond = health.register('nats', () => undefined);
    removeFirst();
    expect((await health.ready()).checks).toHaveLength(1);
    removeSecond();
    expect((await health.ready()).checks).toHaveLength(0);
  });
});
