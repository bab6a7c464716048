import { setTimeout as delay } from 'node:timers/promises';
import type { Attributes } from '@opentelemetry/api';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type Sampler,
  type SpanExporter,
} from '@opentelemetry/sdk-trace';
import {
  ATTR_SERVICE_INSTANCE_ID,
  ATTR_SERVICE_NAME,
  ATTR_SERVICE_NAMESPACE,
  ATTR_SERVICE_VERSION,
} from '@opentelemetry/semantic-conventions';
import { DroppedSpans } from './dropped-spans.js';
import type { Logger } from './logger.js';
import type { Metrics } from './metrics.js';
import { OpenTelemetrySpan, type SpanParts } from './open-telemetry-span.js';
import type { Redactor } from './redactor.js';
import { SpanPipeline } from './span-pipeline.js';
import type { Span } from './span.js';
import { Tracer, type BoundaryOptions } from './tracer.js';
import { parsePairs, type TracingSettings } from './tracing-settings.js';

export interface TracerOptions {
  readonly service: string;
  /** Which process of the service. */
  readonly instance: string;
  readonly version: string;
  readonly settings: TracingSettings;
  readonly redactor: Redactor;
  readonly metrics: Metrics;
  readonly logger: Logger;
  /** A process that stops does not wait longer than this for a collector; default 3,000. */
  readonly closeWithinMs?: number;
}

const CLOSE_WITHIN_MS = 3_000;
/** A plan or a stack trace can be of any length. */
const LONGEST_VALUE = 2_048;

/** Spans of the OpenTelemetry SDK, sent by OTLP over HTTP. A collector that is away costs spans, and nothing else. */
export class OpenTelemetryTracer extends Tracer {
  private readonly provider: TracerProvider;
  private readonly parts: SpanParts;
  private readonly closeWithinMs: number;
  private closing: Promise<void> | undefined;

  /** Throws InvalidSpec when a setting cannot be read. */
  constructor(options: TracerOptions, url: string) {
    super();
    const { settings, redactor, metrics, logger } = options;
    const dropped = new DroppedSpans(metrics, logger);
    this.provider = new TracerProvider({
      resource: resourceFromAttributes(resourceOf(options)),
      sampler: samplerOf(settings),
      spanLimits: { attributeValueLengthLimit: LONGEST_VALUE },
      spanProcessors: [new SpanPipeline({ ...settings, dropped, exporter: exporterOf(settings, url, redactor) })],
    });
    this.closeWithinMs = options.closeWithinMs ?? CLOSE_WITHIN_MS;
    this.parts = { otel: this.provider.getTracer('crate', options.version), redactor };
  }

  override begin(name: string, options: BoundaryOptions = {}): Span {
    return OpenTelemetrySpan.begin(this.parts, name, options, options.parent);
  }

  override close(): Promise<void> {
    this.closing ??= this.shutDown();
    return this.closing;
  }

  private async shutDown(): Promise<void> {
    // What could not be handed over was counted where it failed.
    const handedOver = this.provider.shutdown().catch(() => undefined);
    await Promise.race([handedOver, delay(this.closeWithinMs, undefined, { ref: false })]);
  }
}

function resourceOf({ service, instance, version, settings }: TracerOptions): Attributes {
  return {
    [ATTR_SERVICE_NAMESPACE]: 'crate',
    [ATTR_SERVICE_VERSION]: version,
    [ATTR_SERVICE_INSTANCE_ID]: instance,
    ...parsePairs(settings.resourceAttributes, 'OTEL_RESOURCE_ATTRIBUTES'),
    [ATTR_SERVICE_NAME]: settings.serviceName ?? service,
  };
}

function exporterOf(settings: TracingSettings, url: string, redactor: Redactor): SpanExporter {
  const headers = parsePairs(settings.headers, 'OTEL_EXPORTER_OTLP_HEADERS');
  for (const value of Object.values(headers)) redactor.add(value);
  const Exporter = settings.protocol === 'http/json' ? JsonExporter : ProtobufExporter;
  return new Exporter({ url, headers, timeoutMillis: settings.timeoutMs });
}

function samplerOf({ sampler, samplerArgument }: TracingSettings): Sampler {
  switch (sampler) {
    case 'always_on':
      return new AlwaysOnSampler();
    case 'always_off':
      return new AlwaysOffSampler();
    case 'traceidratio':
      return new TraceIdRatioBasedSampler(samplerArgument);
    case 'parentbased_always_on':
      return new ParentBasedSampler({ root: new AlwaysOnSampler() });
    case 'parentbased_always_off':
      return new ParentBasedSampler({ root: new AlwaysOffSampler() });
    case 'parentbased_traceidratio':
      return new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(samplerArgument) });
  }
}
