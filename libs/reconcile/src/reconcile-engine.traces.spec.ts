import { afterEach, describe, expect, it } from '@jest/globals';
import { conflict, PlatformError } from '@crate/errors';
import { currentTraceparent, InMemoryTracer, runInSpan, withSpan, type Span } from '@crate/telemetry';
import { demo, EngineFixtures, failing, type Behaviour, type EngineFixture } from './engine.fixture.js';
import { settled, waiting } from './index.js';

const fixtures = new EngineFixtures();
afterEach(() => fixtures.stop());

const tracer = new InMemoryTracer();
afterEach(() => void tracer.spans.splice(0));

async function started(behaviour: Behaviour, cause?: Span): Promise<EngineFixture> {
  const f = fixtures.make({ behaviour, engine: { tracer } });
  if (cause) await runInSpan(cause, {}, () => f.queue.enqueue('cluster', [demo]));
  await f.start(...(cause ? [] : [demo]));
  return f;
}

const passes = (): InMemoryTracer['spans'] => tracer.spans.filter(({ name }) => name === 'reconcile cluster');

describe('a pass', () => {
  it('is a span of the trace of what made its key due', async () => {
    const cause = tracer.begin('POST');
    const f = await started(() => settled, cause);
    const span = tracer.get('reconcile cluster');
    expect(span.place.traceId).toBe(cause.place.traceId);
    expect(span.parentSpanId).toBe(cause.place.parentId);
    expect(f.reconciler.passes[0]?.context.traceId).toBe(cause.place.traceId);
    expect(span).toMatchObject({ kind: 'consumer', isEnded: true, error: undefined });
    expect(span.attributes).toEqual({
      'crate.reconcile.reconciler': 'cluster',
      'crate.reconcile.id': '1',
      'crate.reconcile.attempts': 0,
      'crate.reconcile.wait_ms': 0,
      'crate.reconcile.trigger': 'write',
      'crate.reconcile.outcome': 'settled',
      'crate.object.kind': 'Cluster',
      'crate.object.namespace': 'team-a',
      'crate.object.name': 'demo',
    });
  });

  it('that waits goes on in the same trace beside the one before, until one settles', async () => {
    const cause = tracer.begin('POST');
    const outcomes = [waiting('WaitingForNodes', 1_000), waiting('WaitingForNodes', 1_000), settled, settled];
    const f = await started(() => outcomes.shift() ?? settled, cause);
    await f.scheduler.advance(2_500);
    await f.change(demo);
    expect(passes().map(({ parentSpanId }) => parentSpanId === cause.place.parentId)).toEqual([
      true,
      true,
      true,
      false,
    ]);
    expect(passes()[0]?.attributes).toMatchObject({ 'crate.reconcile.outcome': 'waiting' });
    expect(passes()[3]?.attributes).toMatchObject({ 'crate.reconcile.trigger': 'resync' });
  });

  it('that waits for a time rather than for something has settled what it was made due for', async () => {
    const cause = tracer.begin('POST');
    const f = await started(() => waiting('NextDriftCheck', 3 * 60_000), cause);
    await f.scheduler.advance(3 * 60_000 + 100);
    expect(passes().map(({ parentSpanId }) => parentSpanId === cause.place.parentId)).toEqual([true, false]);
  });

  it('has what it does below it, and names it to those it calls', async () => {
    let header: string | undefined;
    await started(async () => {
      await withSpan('terraform plan', {}, async () => {
        header = await Promise.resolve(currentTraceparent());
      });
      return settled;
    });
    const span = tracer.get('terraform plan');
    expect(span.parentSpanId).toBe(tracer.get('reconcile cluster').place.parentId);
    expect(header).toContain(span.place.parentId);
  });

  it.each([
    { name: 'an error', reason: 'people look for it', error: new PlatformError('Unavailable', 'Away'), isFailed: true },
    { name: 'a lost race', reason: 'it is ordinary, and repeated at once', error: conflict('Stale'), isFailed: false },
  ])('that ends with $name: $reason', async ({ error, isFailed }) => {
    await started(failing([error]));
    expect(passes()[0]?.error).toBe(isFailed ? error : undefined);
    expect(passes()[0]?.attributes).toMatchObject({ 'crate.reconcile.reason': error.code });
  });
});
