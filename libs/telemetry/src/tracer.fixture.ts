import { InMemoryLogger } from './in-memory-logger.js';
import { InMemoryMetrics } from './in-memory-metrics.js';
import type { TracerOptions } from './open-telemetry-tracer.js';
import type { OtlpCollector } from './otlp-collector.js';
import { Redactor } from './redactor.js';
import type { TracingSettings } from './tracing-settings.js';

/** Settings as a service has them when nothing is said. */
export const UNSAID: TracingSettings = {
  protocol: 'http/protobuf',
  timeoutMs: 10_000,
  sampler: 'parentbased_always_on',
  samplerArgument: 1,
  maxQueueSize: 2_048,
  scheduleDelayMs: 5_000,
  isDisabled: false,
};

/** The collector is of this process, too: what is sent arrives, however long that stands still. Nobody waits for it. */
const PATIENCE_MS = 60_000;

/** Options of a tracer, with what it tells at hand. */
export interface TracerBench extends TracerOptions {
  readonly metrics: InMemoryMetrics;
  readonly logger: InMemoryLogger;
}

/** Sends JSON to `collector` when it is closed, or when the queue says so. */
export function tracerBench(
  collector?: Pick<OtlpCollector, 'url'>,
  settings: Partial<TracingSettings> = {},
): TracerBench {
  return {
    service: 'lifecycle',
    instance: 'host:1',
    version: '1.2.3',
    settings: { ...UNSAID, protocol: 'http/json', endpoint: collector?.url, timeoutMs: PATIENCE_MS, ...settings },
    redactor: new Redactor(),
    metrics: new InMemoryMetrics(),
    logger: new InMemoryLogger(),
    closeWithinMs: PATIENCE_MS,
  };
}
