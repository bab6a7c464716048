import {
  ROOT_CONTEXT,
  SpanKind as OtelKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Attributes,
  type Context,
  type Span as OtelSpan,
  type SpanContext,
  type Tracer as OtelTracer,
} from '@opentelemetry/api';
import { isPlatformError, type ErrorCode } from '@crate/errors';
import { isSecretKey, REDACTED, type Redactor } from './redactor.js';
import { Span, type SpanAttributes, type SpanKind, type SpanOptions } from './span.js';
import type { TraceParent } from './trace.js';

/** What all spans of one process share. */
export interface SpanParts {
  readonly otel: OtelTracer;
  readonly redactor: Redactor;
}

const KINDS: Readonly<Record<SpanKind, OtelKind>> = {
  internal: OtelKind.INTERNAL,
  server: OtelKind.SERVER,
  client: OtelKind.CLIENT,
  producer: OtelKind.PRODUCER,
  consumer: OtelKind.CONSUMER,
};

/** Answers that callers ask for and go on from: a trace with these in red would hide what is wrong. */
const ORDINARY: ReadonlySet<ErrorCode> = new Set(['NotFound', 'AlreadyExists', 'Conflict']);

/** A span of the OpenTelemetry SDK. What it is told goes through the redactor. */
export class OpenTelemetrySpan extends Span {
  readonly place: TraceParent;
  readonly isRecording: boolean;

  private constructor(
    private readonly parts: SpanParts,
    private readonly otel: OtelSpan,
  ) {
    super();
    this.place = placeOf(otel.spanContext());
    this.isRecording = otel.isRecording();
  }

  /** Begins below `parent`, or a trace of its own. */
  static begin(
    parts: SpanParts,
    name: string,
    options: SpanOptions,
    parent: TraceParent | undefined,
  ): OpenTelemetrySpan {
    const context = parent ? trace.setSpanContext(ROOT_CONTEXT, contextOf(parent)) : ROOT_CONTEXT;
    return OpenTelemetrySpan.within(parts, name, options, context);
  }

  private static within(parts: SpanParts, name: string, options: SpanOptions, context: Context): OpenTelemetrySpan {
    const { kind = 'internal', attributes = {} } = options;
    const cleaned = clean(attributes, parts.redactor);
    return new OpenTelemetrySpan(
      parts,
      parts.otel.startSpan(name, { kind: KINDS[kind], attributes: cleaned }, context),
    );
  }

  override set(attributes: SpanAttributes): void {
    if (this.isRecording) this.otel.setAttributes(clean(attributes, this.parts.redactor));
  }

  override rename(name: string): void {
    this.otel.updateName(name);
  }

  override event(name: string, attributes: SpanAttributes = {}): void {
    if (this.isRecording) this.otel.addEvent(name, clean(attributes, this.parts.redactor));
  }

  override link(other: TraceParent): void {
    this.otel.addLink({ context: contextOf(other) });
  }

  override fail(error: unknown): void {
    if (!this.isRecording) return;
    const reason = reasonOf(error);
    if (isPlatformError(error) && ORDINARY.has(error.code)) return this.set({ 'error.type': reason });
    const message = this.parts.redactor.redactText(error instanceof Error ? error.message : String(error));
    this.otel.setAttribute('error.type', reason);
    this.otel.setStatus({ code: SpanStatusCode.ERROR, message });
    this.event('exception', { 'exception.type': reason, 'exception.message': message, ...stackOf(error) });
  }

  override child(name: string, options: SpanOptions = {}): Span {
    return OpenTelemetrySpan.within(this.parts, name, options, trace.setSpan(ROOT_CONTEXT, this.otel));
  }

  override end(): void {
    // The SDK would complain about a second end.
    if (!this.isRecording || this.otel.isRecording()) this.otel.end();
  }
}

/** Stable, and finer than the code where there is a finer one. */
export function reasonOf(error: unknown): string {
  if (isPlatformError(error)) return error.details.reason ?? error.code;
  return error instanceof Error ? error.name : typeof error;
}

/** As in log lines: the stack is kept where it helps to find a bug. */
function stackOf(error: unknown): SpanAttributes {
  if (!(error instanceof Error) || (isPlatformError(error) && error.code !== 'Invariant')) return {};
  return { 'exception.stacktrace': error.stack };
}

function clean(attributes: SpanAttributes, redactor: Redactor): Attributes {
  const cleaned: Attributes = {};
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined) continue;
    const last = name.slice(name.lastIndexOf('.') + 1);
    if (isSecretKey(last)) cleaned[name] = REDACTED;
    else cleaned[name] = typeof value === 'string' ? redactor.redactText(value) : value;
  }
  return cleaned;
}

function placeOf({ traceId, spanId, traceFlags }: SpanContext): TraceParent {
  return { traceId, parentId: spanId, sampled: (traceFlags & TraceFlags.SAMPLED) !== 0 };
}

function contextOf({ traceId, parentId, sampled }: TraceParent): SpanContext {
  const traceFlags = sampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
  return { traceId, spanId: parentId, traceFlags, isRemote: true };
}
