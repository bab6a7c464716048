import 'reflect-metadata';
import type { Type } from '@nestjs/common';
import { listSecretValues, parseConfig, readEnvironment, type Environment } from '@crate/config';
import { toPlatformError } from '@crate/errors';
import type { SealedTable } from '@crate/secrets';
import { PinoLogger, Redactor, type LogFields, type Logger } from '@crate/telemetry';
import type { hostConfig, HostConfig } from './host-config.js';
import { ServiceHost, type ServiceHostOptions } from './service-host.js';

export interface RunServiceOptions<C extends typeof hostConfig> {
  /** As in the call matrix. Its schema is called the same, with underscores, unless the configuration names one. */
  readonly name: string;
  /** The service's Nest module; provides and exports `SERVICE_PARTS`. */
  readonly module: Type;
  /** `hostConfig.extend({ … })`. */
  readonly config: C;
  /** The service's own migrations. */
  readonly migrations: readonly string[];
  /** Tables of its own, of which records stand under the service's encryption keys beside its secrets. Default: none. */
  readonly sealedTables?: readonly SealedTable[];
}

/** A service, and the variables that it is configured by. */
export interface ServiceRun {
  readonly options: RunServiceOptions<typeof hostConfig>;
  readonly environment: Environment;
}

let gathered: RunServiceOptions<typeof hostConfig>[] | undefined;

/** What would run if `load` did: calls of `runService` meanwhile are told, and start nothing. */
export async function gatherServices(
  load: () => Promise<unknown>,
): Promise<readonly RunServiceOptions<typeof hostConfig>[]> {
  const found: RunServiceOptions<typeof hostConfig>[] = [];
  gathered = found;
  try {
    await load();
    return found;
  } finally {
    gathered = undefined;
  }
}

/** The whole life of a service process, from configuration to the exit code. */
export async function runService<C extends typeof hostConfig>(options: RunServiceOptions<C>): Promise<void> {
  if (gathered) gathered.push(options);
  else await runServices([{ options, environment: readEnvironment() }]);
}

/** The whole life of a process that runs several services, started in this order. When one cannot start, or throws, all end. */
export async function runServices(services: readonly ServiceRun[]): Promise<void> {
  // One for all: nothing that is logged goes past it, not even last words, whosever secret is in them.
  const redactor = new Redactor();
  const prepared = services.map((service) => prepare(service, redactor));
  const [{ logger } = { logger: PinoLogger.create({ service: 'services', redactor }) }] = prepared;
  process.on('uncaughtException', (error) => end(logger, 'Ending after an unexpected error', error));
  const signal = stopSignal(Math.max(...prepared.map(({ config }) => config.stopMs)));
  const hosts: ServiceHost[] = [];
  for (const each of prepared) {
    const host = await start({ ...each, redactor, signal });
    if (host) hosts.push(host);
    if (signal.aborted) break;
  }
  await untilAborted(signal);
  try {
    await Promise.all(hosts.map((host) => host.stop()));
    process.exit(0);
  } catch (error) {
    end(logger, 'Ending after a failed stop', error);
  }
}

function prepare({ options, environment }: ServiceRun, redactor: Redactor): Omit<ServiceHostOptions, 'signal'> {
  const config = readConfig({ options, environment }, PinoLogger.create({ service: options.name, redactor }));
  for (const value of listSecretValues(options.config, config)) redactor.add(value);
  const logger = PinoLogger.create({ service: options.name, level: config.logLevel, redactor });
  return { ...options, config, logger };
}

function readConfig({ options, environment }: ServiceRun, logger: Logger): HostConfig {
  try {
    const onWarning = (message: string, fields: LogFields): void => logger.warn(message, fields);
    return parseConfig<typeof hostConfig>(options.config, environment, { onWarning });
  } catch (error) {
    return end(logger, 'Refusing the configuration', error);
  }
}

/** Undefined when it gave up because the process shall stop: those that were started before still do so in order. */
async function start(options: ServiceHostOptions): Promise<ServiceHost | undefined> {
  try {
    return await ServiceHost.start(options);
  } catch (error) {
    if (options.signal.aborted) return undefined;
    return end(options.logger, 'Ending after a failed start', error);
  }
}

function end(logger: Logger, message: string, error: unknown): never {
  logger.error(message, { error: toPlatformError(error) });
  process.exit(1);
}

/** Fires when the process shall stop, and makes sure that it does, also when it hangs meanwhile. */
function stopSignal(withinMs: number): AbortSignal {
  const controller = new AbortController();
  const stop = (): void => {
    controller.abort();
    setTimeout(() => process.exit(1), withinMs).unref();
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, stop);
  return controller.signal;
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
