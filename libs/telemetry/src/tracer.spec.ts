import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { PlatformError } from '@crate/errors';
import { setTimeout as delay } from 'node:timers/promises';
import {
  currentContext,
  currentSpan,
  currentTraceparent,
  runInSpan,
  runOutside,
  traceparentFor,
  withSpan,
} from './context.js';
import { InMemoryTracer } from './in-memory-tracer.js';
import { openTracer } from './open-tracer.js';
import { OtlpCollector } from './otlp-collector.js';
import { NullTracer, type Tracer } from './tracer.js';
import { tracerContract, type TracerFixture } from './tracer.contract.js';
import { tracerBench, UNSAID } from './tracer.fixture.js';
import { formatTraceparent, parseTraceparent } from './trace.js';

/** The whole test fails by its own time limit when that never happens. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await delay(2);
}

let collector: OtlpCollector;
beforeEach(async () => {
  collector = await OtlpCollector.start();
});
afterEach(() => collector.stop());

function inMemory(): TracerFixture {
  const tracer = new InMemoryTracer();
  const seen: TracerFixture['seen'] = async () =>
    tracer.spans.map(({ name, place, parentSpanId, attributes, events, links, error }) => {
      const spot = { traceId: place.traceId, spanId: place.parentId, parentSpanId };
      const hasFailed = error !== undefined;
      return { name, ...spot, attributes, events, links: links.map(({ traceId }) => traceId), hasFailed };
    });
  return { tracer, seen };
}

async function overOtlp(): Promise<TracerFixture> {
  const tracer = await openTracer(tracerBench(collector));
  const seen: TracerFixture['seen'] = async () => {
    await tracer.close();
    return collector.spans.map(({ parentSpanId, links, events, status, ...span }) => ({
      ...span,
      parentSpanId,
      links: links.map(({ traceId }) => traceId),
      events: events as Awaited<ReturnType<TracerFixture['seen']>>[number]['events'],
      hasFailed: status.code === 2,
    }));
  };
  return { tracer, seen };
}

describe.each([
  { name: 'InMemoryTracer', make: async () => inMemory() },
  { name: 'OpenTelemetryTracer', make: overOtlp },
])('$name', ({ make }) => {
  it.each(tracerContract)('$name', async ({ run }) => run(await make()));
});

describe('NullTracer', () => {
  const parent = parseTraceparent(formatTraceparent('4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'));

  it('passes a trace on as it came', async () => {
    const span = new NullTracer().begin('GET', { parent });
    const header = await runInSpan(span, {}, () => withSpan('call', undefined, async () => currentTraceparent()));
    expect(header).toBe('00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01');
  });

  it('gives work a trace id of its own that nobody is asked to record', () => {
    const span = new NullTracer().begin('pass');
    const [traceId, header] = runInSpan(span, {}, () => [currentContext().traceId, currentTraceparent()]);
    expect(traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(parseTraceparent(header)).toEqual({ traceId, parentId: expect.any(String), sampled: false });
  });

  it('is what settings without an endpoint, or with OTEL_SDK_DISABLED, come to', async () => {
    expect(await openTracer(tracerBench())).toBeInstanceOf(NullTracer);
    expect(await openTracer(tracerBench(collector, { isDisabled: true }))).toBeInstanceOf(NullTracer);
  });

  it('makes no spans below: work is run as it is', async () => {
    const span = new NullTracer().begin('pass');
    await runInSpan(span, {}, () => withSpan('call', undefined, async (inner) => expect(inner).toBe(span)));
  });
});

describe('a context', () => {
  it('names no parent of the wrong trace for a call of another trace than the span around it', () => {
    const span = new InMemoryTracer().begin('pass');
    const traceId = 'ab'.repeat(16);
    const header = runInSpan(span, {}, () => traceparentFor(traceId));
    expect(parseTraceparent(header)).toMatchObject({ traceId, sampled: false });
    expect(header).not.toContain(span.place.parentId);
  });

  it('has the id of a recorded span for log lines, and none of one that nobody sees', () => {
    const span = new InMemoryTracer().begin('pass');
    expect(runInSpan(span, {}, () => currentContext())).toMatchObject({ spanId: span.place.parentId });
    expect(runInSpan(new NullTracer().begin('pass'), {}, () => currentContext())).not.toHaveProperty('spanId');
  });

  it('is left by what goes on after the work that started it', async () => {
    const span = new InMemoryTracer().begin('pass');
    const seen = runInSpan(span, {}, () =>
      runOutside(async () => {
        await delay(1);
        return [currentContext(), currentTraceparent(), currentSpan().isRecording];
      }),
    );
    expect(await seen).toEqual([{}, undefined, false]);
  });

  it('outside of any trace has no traceparent', () => {
    expect(currentTraceparent()).toBeUndefined();
  });
});

/** Sends one span with a tracer of these settings. */
async function send(tracer: Tracer, name = 'pass'): Promise<void> {
  tracer.begin(name).end();
  await tracer.close();
}

describe('the exporter', () => {
  it('says who it is', async () => {
    const resourceAttributes = 'deployment.environment.name=prod%20eu,service.name=ignored';
    await send(await openTracer(tracerBench(collector, { resourceAttributes })));
    expect(collector.spans[0]?.resource).toEqual({
      'service.name': 'lifecycle',
      'service.namespace': 'crate',
      'service.version': '1.2.3',
      'service.instance.id': 'host:1',
      'deployment.environment.name': 'prod eu',
    });
  });

  it.each([
    { name: 'the base', settings: () => ({ endpoint: `${collector.url}/otlp/` }), path: '/otlp/v1/traces' },
    { name: 'the whole URL', settings: () => ({ tracesEndpoint: `${collector.url}/spans` }), path: '/spans' },
  ])('posts to $name that is set', async ({ settings, path }) => {
    await send(await openTracer(tracerBench(undefined, settings())));
    expect(collector.requests.map((request) => request.path)).toEqual([path]);
  });

  it('writes protobuf unless told otherwise', async () => {
    await send(await openTracer({ ...tracerBench(), settings: { ...UNSAID, endpoint: collector.url } }));
    expect(collector.requests[0]?.headers['content-type']).toBe('application/x-protobuf');
    expect(collector.requests[0]?.body.includes('lifecycle')).toBe(true);
  });

  it('sends headers, and keeps them out of logs and spans', async () => {
    const bench = tracerBench(collector, { headers: 'authorization=Bearer%20s3cret-token,x-tenant=red' });
    const tracer = await openTracer(bench);
    expect(bench.redactor.redactText('sent Bearer s3cret-token')).not.toContain('s3cret-token');
    await send(tracer);
    expect(collector.requests[0]?.headers).toMatchObject({ authorization: 'Bearer s3cret-token', 'x-tenant': 'red' });
  });

  it('refuses headers that it cannot read without telling them', async () => {
    const opening = openTracer(tracerBench(collector, { headers: 's3cret-token' }));
    await expect(opening).rejects.toMatchObject({
      code: 'InvalidSpec',
      message: expect.not.stringContaining('s3cret'),
    });
  });

  it('takes secrets out of attributes, events and errors', async () => {
    const bench = tracerBench(collector);
    bench.redactor.add('hunter2-hunter2');
    const tracer = await openTracer(bench);
    const span = tracer.begin('call', {
      attributes: { 'crate.note': 'is hunter2-hunter2', 'crate.token': 'anything' },
    });
    span.event('said', { text: 'hunter2-hunter2' });
    span.fail(new Error('wrong hunter2-hunter2'));
    span.end();
    await tracer.close();
    expect(JSON.stringify(collector.spans)).not.toContain('hunter2');
    expect(collector.spans[0]?.attributes).toMatchObject({ 'crate.token': '[redacted]' });
    expect(collector.spans[0]?.status).toEqual({ code: 2, message: 'wrong [redacted]' });
  });

  it('names failures by their stable reason, with a stack only where it helps to find a bug', async () => {
    const tracer = await openTracer(tracerBench(collector));
    for (const error of [
      new PlatformError('Unavailable', 'No', { details: { reason: 'QuotaExceeded' } }),
      new TypeError('x'),
    ]) {
      const span = tracer.begin('call');
      span.fail(error);
      span.end();
    }
    await tracer.close();
    expect(collector.spans.map(({ attributes }) => attributes['error.type'])).toEqual(['QuotaExceeded', 'TypeError']);
    expect(collector.spans.map(({ events }) => 'exception.stacktrace' in (events[0]?.attributes ?? {}))).toEqual([
      false,
      true,
    ]);
  });
});

describe('an answer that callers go on from', () => {
  it.each(['NotFound', 'AlreadyExists', 'Conflict'] as const)('such as %s is no error', async (code) => {
    const tracer = await openTracer(tracerBench(collector));
    const span = tracer.begin('call');
    span.fail(new PlatformError(code, 'No'));
    span.end();
    await tracer.close();
    expect(collector.spans[0]).toMatchObject({ attributes: { 'error.type': code }, status: { code: 0 }, events: [] });
  });
});

describe('sampling', () => {
  const sampled = { traceId: 'ab'.repeat(16), parentId: 'cd'.repeat(8), sampled: true };

  it.each([
    { sampler: 'always_on', argument: 1, roots: 1, fromSampled: 1, fromUnsampled: 1 },
    { sampler: 'always_off', argument: 1, roots: 0, fromSampled: 0, fromUnsampled: 0 },
    { sampler: 'traceidratio', argument: 0, roots: 0, fromSampled: 0, fromUnsampled: 0 },
    { sampler: 'parentbased_always_on', argument: 1, roots: 1, fromSampled: 1, fromUnsampled: 0 },
    { sampler: 'parentbased_always_off', argument: 1, roots: 0, fromSampled: 1, fromUnsampled: 0 },
    { sampler: 'parentbased_traceidratio', argument: 0, roots: 0, fromSampled: 1, fromUnsampled: 0 },
  ] as const)('by $sampler', async ({ sampler, argument, roots, fromSampled, fromUnsampled }) => {
    const tracer = await openTracer(tracerBench(collector, { sampler, samplerArgument: argument }));
    tracer.begin('root').end();
    tracer.begin('sampled', { parent: sampled }).end();
    tracer.begin('unsampled', { parent: { ...sampled, sampled: false } }).end();
    await tracer.close();
    const count = (name: string): number => collector.spans.filter((span) => span.name === name).length;
    expect([count('root'), count('sampled'), count('unsampled')]).toEqual([roots, fromSampled, fromUnsampled]);
  });

  it('that leaves a trace out tells those who are called so', async () => {
    const tracer = await openTracer(tracerBench(collector, { sampler: 'always_off' }));
    const header = runInSpan(tracer.begin('root'), {}, () => currentTraceparent());
    expect(parseTraceparent(header)?.sampled).toBe(false);
    await tracer.close();
  });
});

describe('a collector that is away', () => {
  it('costs spans, which are counted and told of once', async () => {
    collector.status = 400;
    const bench = tracerBench(collector, { maxQueueSize: 2, scheduleDelayMs: 1 });
    const tracer = await openTracer(bench);
    for (let count = 0; count < 6; count++) {
      tracer.begin('pass').end();
      tracer.begin('pass').end();
      await until(() => collector.requests.length === count + 1);
    }
    await tracer.close();
    await until(() => bench.metrics.value('crate_telemetry_spans_dropped_total', { reason: 'export_failed' }) === 12);
    expect(bench.logger.at('warn').map(({ message }) => message)).toEqual(['Dropping spans']);
  });

  it('does not make the queue grow', async () => {
    const bench = tracerBench(collector, { maxQueueSize: 10 });
    const tracer = await openTracer(bench);
    // The SDK hands a full batch over in a later turn: until then the queue is as full as it gets.
    for (let count = 0; count < 25; count++) tracer.begin('pass').end();
    await tracer.close();
    const lost = bench.metrics.value('crate_telemetry_spans_dropped_total', { reason: 'queue_full' }) ?? 0;
    expect(collector.spans.length + lost).toBe(25);
    expect(lost).toBeGreaterThanOrEqual(5);
  });

  it('does not hold up the end of the process', async () => {
    collector.status = 0;
    const tracer = await openTracer({ ...tracerBench(collector, { timeoutMs: 600_000 }), closeWithinMs: 20 });
    tracer.begin('pass').end();
    // The export itself would take longer than a test may.
    await tracer.close();
    expect(collector.spans).toEqual([]);
  });
});
