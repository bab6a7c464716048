import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { unavailable } from '@crate/errors';
import { eventually, freePort } from '@crate/testing';
import type { ServiceHost } from './service-host.js';
import { HostBench, type ToyParts } from './testing/host-bench.js';
import { CALL, put, widgetService } from './testing/widget-service.js';

let bench: HostBench;
beforeAll(async () => {
  bench = await HostBench.start();
});
afterAll(async () => bench.close());
beforeEach(async () => bench.useNewDatabase());
afterEach(async () => bench.stopAll());

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

    const { metrics } = host.foundation;
    const failures = (scraped: string): string[] =>
      scraped.split('\n').filter((line) => line.startsWith('crate_metric_collection_failures_total{'));
    // What a source does not tell within its time is left out of a scrape, and counted in the next one.
    const text = await eventually(async () => {
      const scraped = await metrics.text();
      expect(failures(await metrics.text())).toEqual(failures(scraped));
      return scraped;
    });
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
    const ended = new Promise<void>((resolve) => (end = resolve));
    const { host, get } = await startWithHealth({ onStop: () => ended });
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
    const overrides = { stopDelayMs: 10_000, health: { host: '127.0.0.1', port } };
    const host = await bench.start('cloud-mgmt', widgetService('a'), overrides);
    const { foundation } = await bench.start('lifecycle', {});
    const startedAt = performance.now();
    const stopping = bench.stop(host);
    // On a connection of its own each time, as a balancer opens them that has not heard yet.
    const ask = (): Promise<Response> => fetch(`http://127.0.0.1:${port}/readyz`, { headers: { connection: 'close' } });
    expect([(await ask()).status, (await ask()).status]).toEqual([503, 503]);
    expect(await foundation.calls.call('cloud-mgmt', 'who', {}, CALL)).toBe('a');
    await stopping;
    expect(performance.now() - startedAt).toBeGreaterThan(9_900);
    await expect(ask()).rejects.toThrow();
  });

  it('begins no more work meanwhile', async () => {
    let passes = 0;
    const host = await bench.start(
      'cloud-mgmt',
      widgetService('a', () => {
        passes += 1;
        return Promise.reject(unavailable('At once again'));
      }),
      { stopDelayMs: 3_000, reconcile: { leaseMs: 30_000, pollMs: 60_000, backoffCapMs: 100, graceMs: 5_000 } },
    );
    await put(host, 'restless');
    await eventually(() => passes > 3);
    const before = passes;
    await bench.stop(host);
    // What was claimed already may begin.
    expect(passes).toBeLessThanOrEqual(before + 1);
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
