import 'reflect-metadata';
import type { Type } from '@nestjs/common';
import type { z } from 'zod';
import { listSecretValues, parseConfig, readEnvironment } from '@crate/config';
import { toPlatformError } from '@crate/errors';
import { PinoLogger, Redactor } from '@crate/telemetry';
import { hostConfig, type HostConfig } from './host-config.js';
import { ServiceHost } from './service-host.js';

export interface RunServiceOptions<C extends typeof hostConfig> {
  readonly name: string;
  /** The service's Nest module; provides and exports `SERVICE_PARTS`. */
  readonly module: Type;
  /** `hostConfig.extend({ … })`. */
  readonly config: C;
  /** The service's own migrations. */
  readonly migrations: readonly string[];
}

/** Ends a process that hangs while stopping. */
const FORCED_EXIT_MS = 20_000;

/** The whole life of a service process, from configuration to the exit code. */
export async function runService<C extends typeof hostConfig>(options: RunServiceOptions<C>): Promise<void> {
  const redactor = new Redactor();
  const bootLogger = PinoLogger.create({ service: options.name, redactor });
  let config: HostConfig;
  try {
    config = parseConfig(options.config as unknown as z.ZodObject, readEnvironment(), {
      onWarning: (message, fields) => bootLogger.warn(message, fields),
    }) as HostConfig;
  } catch (error) {
    bootLogger.error('Refusing the configuration', { error });
    process.exit(1);
  }
  for (const value of listSecretValues(options.config as unknown as z.ZodObject, config)) redactor.add(value);
  const logger = PinoLogger.create({ service: options.name, level: config.logLevel, redactor });
  const stopping = stopSignal();
  try {
    const host = await ServiceHost.start({ ...options, config, logger, signal: stopping });
    await untilAborted(stopping);
    setTimeout(() => process.exit(1), FORCED_EXIT_MS).unref();
    await host.stop();
    process.exit(0);
  } catch (error) {
    if (stopping.aborted) process.exit(0);
    logger.error('Ending after a failed start or stop', { error: toPlatformError(error) });
    process.exit(1);
  }
}

function stopSignal(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => controller.abort());
  return controller.signal;
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
