import assert from 'node:assert/strict';
import { currentContext, currentTraceparent, runInSpan, withSpan } from './context.js';
import type { SpanAttributes } from './span.js';
import { formatTraceparent, newTraceId, parseTraceparent } from './trace.js';
import type { Tracer } from './tracer.js';

/** What a span came to, whoever records it. */
export interface SeenSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly events: readonly { readonly name: string; readonly attributes: SpanAttributes }[];
  readonly links: readonly string[];
  readonly hasFailed: boolean;
}

export interface TracerFixture {
  readonly tracer: Tracer;
  /** Closes the tracer, and gives what it recorded. */
  readonly seen: () => Promise<readonly SeenSpan[]>;
}

interface ContractCase {
  readonly name: string;
  readonly run: (fixture: TracerFixture) => Promise<void>;
}

function contractCase(name: string, run: ContractCase['run']): ContractCase {
  return { name, run };
}

const PARENT = parseTraceparent(formatTraceparent('4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'));

/** What every Tracer that records must do. */
export const tracerContract: readonly ContractCase[] = [
  contractCase('continues the trace of whoever caused the work', async ({ tracer, seen }) => {
    const span = tracer.begin('GET /x', {
      parent: PARENT,
      kind: 'server',
      attributes: { 'http.route': '/x', absent: undefined },
    });
    span.end();
    const [only, ...more] = await seen();
    assert.equal(more.length, 0);
    assert.equal(only?.traceId, PARENT?.traceId);
    assert.equal(only?.parentSpanId, PARENT?.parentId);
    assert.equal(only?.spanId, span.place.parentId);
    assert.deepEqual(only?.attributes, { 'http.route': '/x' });
  }),
  contractCase('begins a trace where there is none, and nests what is done inside', async ({ tracer, seen }) => {
    const root = tracer.begin('pass');
    await runInSpan(root, { kind: 'Cluster' }, () =>
      withSpan('outer', undefined, async (outer) => {
        assert.equal(currentContext().traceId, root.place.traceId);
        assert.equal(currentContext().kind, 'Cluster');
        assert.equal(currentTraceparent(), formatTraceparent(root.place.traceId, outer.place.parentId));
        await withSpan('inner', { kind: 'client' }, (inner) => Promise.resolve(inner.event('half', { share: 0.5 })));
      }),
    );
    root.end();
    const byName = new Map((await seen()).map((span) => [span.name, span]));
    assert.equal(byName.get('pass')?.parentSpanId, undefined);
    assert.equal(byName.get('outer')?.parentSpanId, byName.get('pass')?.spanId);
    assert.equal(byName.get('inner')?.parentSpanId, byName.get('outer')?.spanId);
    assert.deepEqual(byName.get('inner')?.events, [{ name: 'half', attributes: { share: 0.5 } }]);
    assert.equal(new Set([...byName.values()].map(({ traceId }) => traceId)).size, 1);
  }),
  contractCase('marks what failed, and throws it on', async ({ tracer, seen }) => {
    const root = tracer.begin('pass');
    const error = new Error('Away');
    const work = runInSpan(root, {}, () => withSpan('call', undefined, () => Promise.reject(error)));
    await assert.rejects(work, { message: 'Away' });
    root.end();
    const failed = (await seen()).filter(({ hasFailed }) => hasFailed).map(({ name }) => name);
    assert.deepEqual(failed, ['call']);
  }),
  contractCase('takes a later name, further facts and links, and ends once', async ({ tracer, seen }) => {
    const other = { traceId: newTraceId(), parentId: 'ab'.repeat(8), sampled: true };
    const span = tracer.begin('GET');
    span.rename('GET /clusters');
    span.set({ 'http.response.status_code': 200 });
    span.link(other);
    span.end();
    span.end();
    const [only, ...more] = await seen();
    assert.equal(more.length, 0);
    assert.equal(only?.name, 'GET /clusters');
    assert.deepEqual(only?.attributes, { 'http.response.status_code': 200 });
    assert.deepEqual(only?.links, [other.traceId]);
  }),
];
