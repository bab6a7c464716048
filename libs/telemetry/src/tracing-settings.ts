import { invalidSpec } from '@crate/errors';

/** Samplers by the names that OpenTelemetry gives them. */
export const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

export type SamplerName = (typeof SAMPLERS)[number];

/** Ways of writing OTLP over HTTP. */
export const OTLP_PROTOCOLS = ['http/protobuf', 'http/json'] as const;

/** Where spans go, as OpenTelemetry's standard variables say. Source: https://opentelemetry.io/docs/specs/otel/protocol/exporter/ */
export interface TracingSettings {
  /** Base URL of a collector; `/v1/traces` is added. Absent, like `tracesEndpoint`: nothing is recorded. */
  readonly endpoint?: string | undefined;
  /** Whole URL for spans; wins over `endpoint`. */
  readonly tracesEndpoint?: string | undefined;
  /** `name=value,name=value`, percent-encoded; sent with every export. A secret. */
  readonly headers?: string | undefined;
  readonly protocol: (typeof OTLP_PROTOCOLS)[number];
  /** Of one export, with its retries. */
  readonly timeoutMs: number;
  readonly sampler: SamplerName;
  /** Share of traces that a ratio sampler takes, 0 to 1. */
  readonly samplerArgument: number;
  /** Instead of the service's own name. */
  readonly serviceName?: string | undefined;
  /** `name=value,name=value`, percent-encoded; said of every span. */
  readonly resourceAttributes?: string | undefined;
  /** Spans that wait to be sent; more are dropped. */
  readonly maxQueueSize: number;
  /** How often what waits is sent. */
  readonly scheduleDelayMs: number;
  readonly isDisabled: boolean;
}

/** The URL that spans are posted to; undefined when tracing is off. */
export function tracesUrlOf({ endpoint, tracesEndpoint, isDisabled }: TracingSettings): string | undefined {
  if (isDisabled) return undefined;
  if (tracesEndpoint !== undefined) return tracesEndpoint;
  return endpoint === undefined ? undefined : `${endpoint.replace(/\/+$/, '')}/v1/traces`;
}

/** Reads `name=value,name=value`. Throws InvalidSpec naming `variable`, and never a value. */
export function parsePairs(text: string | undefined, variable: string): Readonly<Record<string, string>> {
  const parts = (text ?? '').split(',').filter((part) => part.trim() !== '');
  return Object.fromEntries(parts.map((part) => pairOf(part, variable)));
}

function pairOf(part: string, variable: string): readonly [string, string] {
  const at = part.indexOf('=');
  const pair = at > 0 ? decoded(part.slice(0, at), part.slice(at + 1)) : undefined;
  if (pair) return pair;
  const message = 'expected name=value pairs, separated by commas, with other characters percent-encoded';
  throw invalidSpec(`${variable}: ${message}`, [{ reason: 'FieldValueInvalid', field: variable, message }]);
}

function decoded(name: string, value: string): readonly [string, string] | undefined {
  try {
    return [name.trim(), decodeURIComponent(value.trim())];
  } catch {
    return undefined;
  }
}
