import { z } from 'zod';
import { duration, secret } from '@crate/config';
import { OTLP_PROTOCOLS, SAMPLERS } from '@crate/telemetry';

/** The standard variables of OpenTelemetry, under the names that every other program of an installation reads too. */
export const tracingConfig = z
  .object({
    endpoint: z
      .url({ protocol: /^https?$/ })
      .optional()
      .meta({ env: 'OTEL_EXPORTER_OTLP_ENDPOINT' })
      .describe('Base URL of an OpenTelemetry collector that takes OTLP over HTTP; without it no traces are recorded'),
    tracesEndpoint: z
      .url({ protocol: /^https?$/ })
      .optional()
      .meta({ env: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT' })
      .describe('Whole URL that traces are posted to, instead of `/v1/traces` below the endpoint'),
    headers: secret()
      .optional()
      .meta({ env: 'OTEL_EXPORTER_OTLP_HEADERS', secret: true })
      .describe('Headers of each post, such as `authorization=Bearer%20…`; name=value pairs separated by commas'),
    protocol: z
      .enum(OTLP_PROTOCOLS)
      .default('http/protobuf')
      .meta({ env: 'OTEL_EXPORTER_OTLP_PROTOCOL' })
      .describe('How traces are written'),
    timeoutMs: duration()
      .min(100)
      .default(10_000)
      .meta({ env: 'OTEL_EXPORTER_OTLP_TIMEOUT', unit: 'duration' })
      .describe('How long a post may take, with what is tried again'),
    sampler: z
      .enum(SAMPLERS)
      .default('parentbased_always_on')
      .meta({ env: 'OTEL_TRACES_SAMPLER' })
      .describe('Which traces are recorded'),
    samplerArgument: z
      .number()
      .min(0)
      .max(1)
      .default(1)
      .meta({ env: 'OTEL_TRACES_SAMPLER_ARG' })
      .describe('Share of traces that a ratio sampler takes'),
    serviceName: z
      .string()
      .optional()
      .meta({ env: 'OTEL_SERVICE_NAME' })
      .describe('Name of this service in traces, instead of its own; not to be shared by services'),
    resourceAttributes: z
      .string()
      .optional()
      .meta({ env: 'OTEL_RESOURCE_ATTRIBUTES' })
      .describe('Said of every span, such as `deployment.environment.name=prod`'),
    maxQueueSize: z
      .int()
      .min(1)
      .max(100_000)
      .default(2_048)
      .meta({ env: 'OTEL_BSP_MAX_QUEUE_SIZE' })
      .describe('Spans that wait to be sent; more are dropped and counted'),
    scheduleDelayMs: duration()
      .min(1)
      .default(5_000)
      .meta({ env: 'OTEL_BSP_SCHEDULE_DELAY', unit: 'duration' })
      .describe('How often spans that wait are sent'),
    isDisabled: z
      .boolean()
      .default(false)
      .meta({ env: 'OTEL_SDK_DISABLED' })
      .describe('Records nothing, whatever else is set'),
  })
  .prefault({})
  .describe('Traces');
