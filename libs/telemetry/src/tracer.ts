import { newPlace, PassingSpan, type Span, type SpanOptions } from './span.js';
import type { TraceParent } from './trace.js';

/** Of a span with which a process's part of a trace begins. */
export interface BoundaryOptions extends SpanOptions {
  /** What caused the work, perhaps in another process; absent: a trace begins. */
  readonly parent?: TraceParent | undefined;
}

/** Where the spans of a process come from and go to. */
export abstract class Tracer {
  /** Begins a span at a boundary: a request, a call, a pass. Inside, `withSpan` finds it in the context. Never throws. */
  abstract begin(name: string, options?: BoundaryOptions): Span;
  /** Hands over what is pending, within a bound of its own. Never throws. Idempotent. */
  abstract close(): Promise<void>;
}

/** Records nothing, and still gives every piece of work the trace that it belongs to. */
export class NullTracer extends Tracer {
  override begin(_name: string, options?: BoundaryOptions): Span {
    return new PassingSpan(options?.parent ?? newPlace());
  }

  override async close(): Promise<void> {
    // Nothing is pending.
  }
}
