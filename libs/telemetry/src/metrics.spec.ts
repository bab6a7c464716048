import { describe, expect, it } from '@jest/globals';
import { InMemoryMetrics, PrometheusMetrics, type Metrics } from './index.js';

/** The contract of the port, held by the production metrics and by the fake. */
describe.each([
  {
    name: 'PrometheusMetrics',
    create: (): Metrics => new PrometheusMetrics({ service: 'lifecycle', processMetrics: false }),
  },
  { name: 'InMemoryMetrics', create: (): Metrics => new InMemoryMetrics() },
])('$name', ({ create }) => {
  const help = 'For the spec.';
  const series = async (metrics: Metrics): Promise<string> =>
    (await metrics.text()).replace(/,?service="lifecycle"/g, '');

  it('adds to counters and sets gauges by label', async () => {
    const metrics = create();
    const passes = metrics.counter({ name: 'crate_passes_total', help, labels: ['outcome'] });
    passes.add(1, { outcome: 'settled' });
    passes.add(2, { outcome: 'settled' });
    metrics.gauge({ name: 'crate_depth', help, labels: ['queue'] }).set(4, { queue: 'cluster' });

    expect(await series(metrics)).toContain('crate_passes_total{outcome="settled"} 3\n');
    expect(await series(metrics)).toContain('crate_depth{queue="cluster"} 4\n');
  });

  it('has a series there before anything is observed', async () => {
    const metrics = create();
    const runs = metrics.histogram({ name: 'crate_run_seconds', help, labels: ['kind'] });
    runs.start({ kind: 'apply' });
    expect(await series(metrics)).toMatch(/^crate_run_seconds(_count)?\{,?kind="apply"\} 0$/m);
    runs.observe(2, { kind: 'apply' });
    expect(await series(metrics)).toMatch(/^crate_run_seconds(_sum)?\{,?kind="apply"\} 2$/m);
  });

  it('gives the same instrument for the same name', async () => {
    const metrics = create();
    metrics.counter({ name: 'crate_passes_total', help, labels: ['outcome'] }).add(1, { outcome: 'x' });
    metrics.counter({ name: 'crate_passes_total', help, labels: ['outcome'] }).add(1, { outcome: 'x' });

    expect(await series(metrics)).toContain('crate_passes_total{outcome="x"} 2\n');
  });

  it('asks a collected gauge at each scrape only', async () => {
    const metrics = create();
    let scrapes = 0;
    metrics.gauge({
      name: 'crate_depth',
      help,
      labels: ['queue'],
      collect: (gauge) => gauge.set(++scrapes, { queue: 'a' }),
    });
    await metrics.text();

    expect(await series(metrics)).toContain('crate_depth{queue="a"} 2\n');
  });

  it('shows the rest when one source fails', async () => {
    const metrics = create();
    metrics.counter({ name: 'crate_passes_total', help, labels: ['outcome'] }).add(1, { outcome: 'x' });
    metrics.gauge({
      name: 'crate_bad',
      help,
      collect: () => {
        throw new Error('away');
      },
    });
    metrics.gauge({ name: 'crate_worse', help, collect: () => Promise.reject(new Error('away')) });

    expect(await series(metrics)).toContain('crate_passes_total{outcome="x"} 1\n');
  });

  it.each([
    { name: 'passes_total', type: 'counter' as const, reason: 'every name starts with crate_' },
    { name: 'crate_passes', type: 'counter' as const, reason: 'a counter ends in _total' },
    { name: 'crate_pass_duration', type: 'histogram' as const, reason: 'a histogram names its unit' },
    { name: 'crate_Depth', type: 'gauge' as const, reason: 'names are in snake_case' },
  ])('refuses $type $name: $reason', ({ name, type }) => {
    expect(() => create()[type]({ name, help })).toThrow(/conventions/);
  });

  it('refuses what says nothing about itself', () => {
    expect(() => create().gauge({ name: 'crate_depth', help: ' ' })).toThrow(/help text/);
  });
});

describe('PrometheusMetrics', () => {
  it('counts observations into buckets', async () => {
    const metrics = new PrometheusMetrics({ service: 'lifecycle', processMetrics: false });
    metrics.histogram({ name: 'crate_pass_seconds', help: 'x', buckets: [1, 10] }).observe(5);
    const text = await metrics.text();

    expect(text).toContain('crate_pass_seconds_bucket{le="1",service="lifecycle"} 0');
    expect(text).toContain('crate_pass_seconds_bucket{le="10",service="lifecycle"} 1');
  });

  it('reports the process unless told not to', async () => {
    expect(await new PrometheusMetrics({ service: 'lifecycle' }).text()).toContain('process_resident_memory_bytes{');
  });

  it('counts the sources that fail, and waits for none that hangs', async () => {
    const metrics = new PrometheusMetrics({ service: 'lifecycle', processMetrics: false });
    metrics.gauge({ name: 'crate_bad', help: 'x', collect: () => Promise.reject(new Error('away')) });
    metrics.gauge({ name: 'crate_stuck', help: 'x', collect: () => new Promise(() => undefined) });
    await metrics.text();
    const text = await metrics.text();

    for (const metric of ['crate_bad', 'crate_stuck']) {
      expect(text).toMatch(new RegExp(`crate_metric_collection_failures_total\\{metric="${metric}",.*\\} [12]`));
    }
  });

  it('shows no value that nobody has told', async () => {
    const metrics = new PrometheusMetrics({ service: 'lifecycle', processMetrics: false });
    const ends: number[] = [];
    const collect = (gauge: { set: (value: number) => void }): void => {
      for (const end of ends) gauge.set(end);
    };
    metrics.gauge({ name: 'crate_end_timestamp_seconds', help: 'x', collect });
    expect(await metrics.text()).not.toMatch(/^crate_end_timestamp_seconds/m);
    ends.push(5);
    expect(await metrics.text()).toContain('crate_end_timestamp_seconds{service="lifecycle"} 5');
  });

  it('tells how busy the event loop was since the last scrape', async () => {
    const metrics = new PrometheusMetrics({ service: 'lifecycle' });
    const told = async (): Promise<number> => {
      const text = await metrics.text();
      return Number(/^crate_event_loop_utilization_ratio\{.*\} (\S+)$/m.exec(text)?.[1]);
    };
    await told();
    const until = performance.now() + 100;
    while (performance.now() < until);
    expect(await told()).toBeGreaterThan(0.5);
  });

  it('refuses one name for two types', () => {
    const metrics = new PrometheusMetrics({ service: 'lifecycle', processMetrics: false });
    metrics.gauge({ name: 'crate_depth_total', help: 'x' });

    expect(() => metrics.counter({ name: 'crate_depth_total', help: 'x' })).toThrow(/already a gauge/);
  });
});
