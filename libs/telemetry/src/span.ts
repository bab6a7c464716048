import { formatTraceparent, newTraceId, type TraceParent } from './trace.js';

/** Facts of a span; names as OpenTelemetry's semantic conventions have them, our own begin with `crate.`. Absent values are left out. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** Which side of a call a span is; `consumer` takes up work that somebody left. */
export type SpanKind = 'internal' | 'server' | 'client' | 'producer' | 'consumer';

/** What is known of a span when it begins; the rest is told to it later. */
export interface SpanOptions {
  /** Default `internal`. */
  readonly kind?: SpanKind;
  readonly attributes?: SpanAttributes;
}

/** A piece of work within a trace. Nothing that is told to a span holds a secret: the redactor sees all of it. No method throws. */
export abstract class Span {
  /** Where the span is, for calls that continue its trace. */
  abstract readonly place: TraceParent;
  /** False when nobody will see it: then nothing need be told to it. */
  abstract readonly isRecording: boolean;
  abstract set(attributes: SpanAttributes): void;
  /** For names that are known only after a while, such as the route of a request. */
  abstract rename(name: string): void;
  /** Something that happened at a moment within the span. */
  abstract event(name: string, attributes?: SpanAttributes): void;
  /** Another trace that has to do with this one. */
  abstract link(other: TraceParent): void;
  /** What the work failed of, with its stable reason. */
  abstract fail(error: unknown): void;
  abstract child(name: string, options?: SpanOptions): Span;
  /** Idempotent. */
  abstract end(): void;
}

/** Carries a trace on without recording anything. */
export class PassingSpan extends Span {
  readonly isRecording = false;

  constructor(readonly place: TraceParent) {
    super();
  }

  override set(): void {
    // Nobody sees it.
  }

  override rename(): void {
    // Nobody sees it.
  }

  override event(): void {
    // Nobody sees it.
  }

  override link(): void {
    // Nobody sees it.
  }

  override fail(): void {
    // Nobody sees it.
  }

  /** The same span: what is not recorded has no place of its own in the trace. */
  override child(): Span {
    return this;
  }

  override end(): void {
    // Nobody sees it.
  }
}

/** The place of a trace that begins here and that nobody records. */
export function newPlace(): TraceParent {
  const traceId = newTraceId();
  // Nobody records a span of this id, and every request would pay for more random numbers.
  return { traceId, parentId: traceId.slice(16), sampled: false };
}

/** The `traceparent` header of a call made within a span. */
export function traceparentOf({ place }: Span): string {
  return formatTraceparent(place.traceId, place.parentId, place.sampled);
}
