import { describe, expect, it } from '@jest/globals';
import { listSecretValues, parseConfig } from '@crate/config';
import { z } from 'zod';
import { tracingConfig } from './tracing-config.js';

const schema = z.object({ tracing: tracingConfig });

describe('the settings of traces', () => {
  it('are off, and as OpenTelemetry has them, when nothing is said', () => {
    expect(parseConfig(schema, {}).tracing).toEqual({
      protocol: 'http/protobuf',
      timeoutMs: 10_000,
      sampler: 'parentbased_always_on',
      samplerArgument: 1,
      maxQueueSize: 2_048,
      scheduleDelayMs: 5_000,
      isDisabled: false,
    });
  });

  it('are read from the standard variables', () => {
    const config = parseConfig(schema, {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20x',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_TIMEOUT: '2000',
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=prod',
      OTEL_BSP_SCHEDULE_DELAY: '100',
      OTEL_SDK_DISABLED: 'true',
    });
    expect(config.tracing).toEqual({
      endpoint: 'http://collector:4318',
      headers: 'authorization=Bearer%20x',
      protocol: 'http/json',
      timeoutMs: 2_000,
      sampler: 'parentbased_traceidratio',
      samplerArgument: 0.25,
      resourceAttributes: 'deployment.environment.name=prod',
      maxQueueSize: 2_048,
      scheduleDelayMs: 100,
      isDisabled: true,
    });
    expect(listSecretValues(schema, config)).toEqual(['authorization=Bearer%20x']);
  });

  it.each([
    { variable: 'OTEL_EXPORTER_OTLP_PROTOCOL', value: 'grpc' },
    { variable: 'OTEL_EXPORTER_OTLP_ENDPOINT', value: 'collector:4318' },
    { variable: 'OTEL_TRACES_SAMPLER', value: 'sometimes' },
    { variable: 'OTEL_TRACES_SAMPLER_ARG', value: '25' },
  ])('are refused by name when $variable is $value', ({ variable, value }) => {
    const causes = [expect.objectContaining({ field: variable })];
    expect(() => parseConfig(schema, { [variable]: value })).toThrow(
      expect.objectContaining({ code: 'InvalidSpec', details: { causes } }),
    );
  });
});
