import type { TracerOptions } from './open-telemetry-tracer.js';
import { NullTracer, type Tracer } from './tracer.js';
import { tracesUrlOf } from './tracing-settings.js';

/** The tracer that the settings ask for. Throws InvalidSpec. Without an endpoint nothing of OpenTelemetry is even loaded. */
export async function openTracer(options: TracerOptions): Promise<Tracer> {
  const url = tracesUrlOf(options.settings);
  if (url === undefined) return new NullTracer();
  const { OpenTelemetryTracer } = await import('./open-telemetry-tracer.js');
  return new OpenTelemetryTracer(options, url);
}
