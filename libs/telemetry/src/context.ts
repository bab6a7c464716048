import { AsyncLocalStorage } from 'node:async_hooks';
import { PassingSpan, type Span, type SpanOptions } from './span.js';
import { formatTraceparent, newSpanId } from './trace.js';

/** What every log line and outgoing call inside a unit of work carries. */
export interface TelemetryContext {
  /** Correlates lines, events and errors across services: 32 hexadecimal digits. */
  readonly traceId?: string;
  /** One pass of one reconciler. */
  readonly reconcileId?: string;
  readonly reconciler?: string;
  /** The Cluster that the work is for, also when the object at hand is a child of it. */
  readonly cluster?: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly generation?: number;
}

interface Scope {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly span: Span;
}

const NO_SPAN: Span = new PassingSpan({ traceId: '0'.repeat(32), parentId: '0'.repeat(16), sampled: false });
const NOWHERE: Scope = { fields: {}, span: NO_SPAN };

const storage = new AsyncLocalStorage<Scope>();

/**
 * Runs `work` as part of `span`: lines and calls inside belong to its trace. `context` is laid over the current one, and everything
 * awaited inside sees it. Does not end the span.
 */
export function runInSpan<T>(span: Span, context: TelemetryContext, work: () => T): T {
  const { traceId, parentId: spanId } = span.place;
  const { fields } = storage.getStore() ?? NOWHERE;
  const place = span.isRecording ? { traceId, spanId } : { traceId };
  return storage.run({ fields: { ...fields, ...context, ...place }, span }, work);
}

/**
 * Runs `work` in a span below the current one and ends it; what `work` throws marks it as failed and is thrown on. Without a
 * recording span around it, it only runs `work`.
 */
export async function withSpan<T>(
  name: string,
  options: SpanOptions | undefined,
  work: (span: Span) => Promise<T>,
): Promise<T> {
  const above = currentSpan();
  if (!above.isRecording) return work(above);
  const span = above.child(name, options);
  try {
    return await runInSpan(span, {}, () => work(span));
  } catch (error) {
    span.fail(error);
    throw error;
  } finally {
    span.end();
  }
}

/**
 * Runs `work` as part of nothing: for what a unit of work starts and does not wait for, such as a watch that goes on for hours.
 * Otherwise its lines and calls would belong to that unit for ever.
 */
export function runOutside<T>(work: () => T): T {
  return storage.exit(work);
}

/** The span of the current unit of work; one that records nothing outside of any. */
export function currentSpan(): Span {
  return storage.getStore()?.span ?? NO_SPAN;
}

/** The `traceparent` of a call made now; undefined outside of any trace. */
export function currentTraceparent(): string | undefined {
  const { fields, span } = storage.getStore() ?? NOWHERE;
  return typeof fields['traceId'] === 'string' ? traceparentWithin(fields['traceId'], span) : undefined;
}

/** The `traceparent` of a call made for the trace `traceId`; the current span is its parent if it belongs to that trace. */
export function traceparentFor(traceId: string): string {
  return traceparentWithin(traceId, currentSpan());
}

/** The context of the current unit of work; empty outside of one. */
export function currentContext(): TelemetryContext {
  return storage.getStore()?.fields ?? {};
}

function traceparentWithin(traceId: string, { place }: Span): string {
  // Nobody records what is around the call, so nobody need record the call.
  if (place.traceId !== traceId) return formatTraceparent(traceId, newSpanId(), false);
  return formatTraceparent(traceId, place.parentId, place.sampled);
}
