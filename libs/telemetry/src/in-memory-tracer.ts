import { Span, type SpanAttributes, type SpanKind, type SpanOptions } from './span.js';
import { newSpanId, newTraceId, type TraceParent } from './trace.js';
import { Tracer, type BoundaryOptions } from './tracer.js';

interface RecordedSpanParts {
  readonly place: TraceParent;
  readonly parentSpanId: string | undefined;
  readonly options: SpanOptions;
}

/** A span as it was told. */
export class RecordedSpan extends Span {
  readonly isRecording = true;
  readonly place: TraceParent;
  /** The id of the span above it, here or in another process. */
  readonly parentSpanId: string | undefined;
  readonly attributes: Record<string, string | number | boolean> = {};
  readonly events: { readonly name: string; readonly attributes: SpanAttributes }[] = [];
  readonly links: TraceParent[] = [];
  readonly kind: SpanKind;
  error: unknown;
  isEnded = false;

  constructor(
    private readonly all: RecordedSpan[],
    public name: string,
    { place, parentSpanId, options: { kind = 'internal', attributes = {} } }: RecordedSpanParts,
  ) {
    super();
    this.place = place;
    this.parentSpanId = parentSpanId;
    this.kind = kind;
    this.set(attributes);
    all.push(this);
  }

  override set(attributes: SpanAttributes): void {
    for (const [name, value] of Object.entries(attributes)) {
      if (value !== undefined) this.attributes[name] = value;
    }
  }

  override rename(name: string): void {
    this.name = name;
  }

  override event(name: string, attributes: SpanAttributes = {}): void {
    this.events.push({ name, attributes });
  }

  override link(other: TraceParent): void {
    this.links.push(other);
  }

  override fail(error: unknown): void {
    this.error = error;
  }

  override child(name: string, options: SpanOptions = {}): Span {
    const place = { ...this.place, parentId: newSpanId() };
    return new RecordedSpan(this.all, name, { place, parentSpanId: this.place.parentId, options });
  }

  override end(): void {
    this.isEnded = true;
  }
}

/** Keeps every span, for tests. */
export class InMemoryTracer extends Tracer {
  readonly spans: RecordedSpan[] = [];

  override begin(name: string, options: BoundaryOptions = {}): RecordedSpan {
    const { parent } = options;
    const place = parent
      ? { ...parent, parentId: newSpanId() }
      : { traceId: newTraceId(), parentId: newSpanId(), sampled: true };
    return new RecordedSpan(this.spans, name, { place, parentSpanId: parent?.parentId, options });
  }

  /** The first span of this name; throws when there is none. */
  get(name: string): RecordedSpan {
    const span = this.spans.find((each) => each.name === name);
    if (!span) throw new Error(`No span ${name}, only ${this.spans.map((each) => each.name).join(', ')}`);
    return span;
  }

  override async close(): Promise<void> {
    // Nothing is pending.
  }
}
