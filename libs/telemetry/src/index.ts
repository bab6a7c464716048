export {
  currentContext,
  currentSpan,
  currentTraceparent,
  runInSpan,
  runOutside,
  traceparentFor,
  withSpan,
  type TelemetryContext,
} from './context.js';
export { HealthRegistry, type HealthCheck, type HealthReport } from './health.js';
export { InMemoryLogger, type LogLine } from './in-memory-logger.js';
export { InMemoryMetrics } from './in-memory-metrics.js';
export { InMemoryTracer, type RecordedSpan } from './in-memory-tracer.js';
export { Logger, type LogFields, type LogLevel } from './logger.js';
export { DURATION_BUCKETS, Metrics, type Counter, type Gauge, type Histogram, type Labels } from './metrics.js';
export { openTracer } from './open-tracer.js';
export { OtlpCollector, type CollectedSpan } from './otlp-collector.js';
export { PinoLogger } from './pino-logger.js';
export { PrometheusMetrics } from './prometheus-metrics.js';
export { isSecretKey, REDACTED, Redactor } from './redactor.js';
export { newTraceId, parseTraceparent, type TraceParent } from './trace.js';
export { PassingSpan, Span, traceparentOf, type SpanAttributes, type SpanKind, type SpanOptions } from './span.js';
export { NullTracer, Tracer, type BoundaryOptions } from './tracer.js';
export { OTLP_PROTOCOLS, SAMPLERS, type TracingSettings } from './tracing-settings.js';
