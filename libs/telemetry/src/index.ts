export { currentContext, extendContext, runWithContext, type TelemetryContext } from './context.js';
export { errorFields } from './error-fields.js';
export { HealthRegistry, type HealthCheck, type HealthCheckResult, type HealthReport } from './health.js';
export { InMemoryLogger, type LogLine } from './in-memory-logger.js';
export { InMemoryMetrics } from './in-memory-metrics.js';
export { Logger, type LogFields, type LogLevel } from './logger.js';
export {
  DURATION_BUCKETS,
  Metrics,
  type Counter,
  type Gauge,
  type GaugeOptions,
  type Histogram,
  type HistogramOptions,
  type InstrumentOptions,
  type Labels,
} from './metrics.js';
export { PinoLogger, type PinoLoggerOptions } from './pino-logger.js';
export { PrometheusMetrics, type PrometheusMetricsOptions } from './prometheus-metrics.js';
export { isSecretKey, REDACTED, Redactor } from './redactor.js';
export { formatTraceparent, newSpanId, newTraceId, parseTraceparent, type TraceParent } from './trace.js';
