import { setTimeout as delay } from 'node:timers/promises';
import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { MicroserviceOptions } from '@nestjs/microservices';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { NatsServiceServer, ServiceAnnouncer, ServiceMethods } from '@crate/messaging';
import { Backoff, ReconcileEngine } from '@crate/reconcile';
import { kindInfoOf } from '@crate/resource-server';
import type { SealedTable } from '@crate/secrets';
import type { Logger, Redactor } from '@crate/telemetry';
import { openFoundation, type Foundation } from './foundation.js';
import type { HostConfig } from './host-config.js';
import { HostModule } from './host.module.js';
import { NestLogger } from './nest-logger.js';
import { ReconcilerWakes } from './reconcilers.js';
import { SERVICE_PARTS, servedKinds, type ServiceParts } from './service-parts.js';
import { Teardown } from './teardown.js';
import { openWorkRoutes } from './work-routes.js';

/** What `runService` makes of its process by itself, for who starts a service within another one. */
export interface ServiceHostOptions {
  readonly name: string;
  readonly module: Type;
  readonly config: HostConfig;
  readonly migrations: readonly string[];
  /** Tables of its own, of which records stand under the service's encryption keys beside its secrets. Default: none. */
  readonly sealedTables?: readonly SealedTable[];
  readonly logger: Logger;
  /** Of the logger; traces are redacted by it as well. */
  readonly redactor?: Redactor;
  /** Gives up a start that waits for something. */
  readonly signal: AbortSignal;
}

interface Opened {
  readonly methods: ServiceMethods;
  readonly stopWork: () => Promise<void>;
}

/** A running service. */
export class ServiceHost {
  private constructor(
    readonly foundation: Foundation,
    private readonly opened: Opened,
    private readonly teardown: Teardown,
    private readonly stopDelayMs: number,
  ) {}

  /** What it answers to other services. */
  get methods(): ServiceMethods {
    return this.opened.methods;
  }

  /** Returns when the service answers calls and reconciles. A start that fails leaves nothing open. */
  static async start(options: ServiceHostOptions): Promise<ServiceHost> {
    const teardown = new Teardown();
    try {
      const foundation = await openFoundation({ service: options.name, teardown, ...options });
      const opened = await openService(foundation, options, teardown);
      return new ServiceHost(foundation, opened, teardown, options.config.stopDelayMs);
    } catch (error) {
      // What the start failed of matters more than what could not be closed afterwards.
      await teardown.run().catch((failure: unknown) => options.logger.warn('Failing to clean up', { error: failure }));
      throw error;
    }
  }

  /**
   * Says that it is not ready and begins no more work; passes at hand end within their grace. Takes calls until those who send to it have heard of
   * that, and stops in reverse order: calls at hand end within their grace, then connections close.
   */
  async stop(): Promise<void> {
    const { logger, health } = this.foundation;
    logger.info('Stopping');
    health.drain();
    // Work first: what the process knows may be that of an installation that was replaced meanwhile.
    // How that went is told as a step of the teardown, which goes on whatever fails.
    await Promise.all([this.opened.stopWork().catch(() => undefined), delay(this.stopDelayMs)]);
    await this.teardown.run();
    logger.info('Stopped');
  }
}

/** Gives how to end its work, too: before all else, and once. */
async function openService(foundation: Foundation, options: ServiceHostOptions, teardown: Teardown): Promise<Opened> {
  const { config, logger } = options;
  const noLongerStarting = foundation.health.register('start', () => Promise.reject(new Error('Starting')));
  const { app, server, parts, methods } = await createApp(foundation, options, teardown);
  for (const kind of servedKinds(parts)) foundation.kinds.add(kind);
  await openWorkRoutes(foundation.database, parts.reconcilers);
  await app.listen(config.health.port, config.health.host);
  teardown.add(() => foundation.status.stop());
  await foundation.status.start({ parts: parts.status ?? {}, reconcilers: namesOf(parts) });
  teardown.add(() => parts.onStop?.());
  await parts.onStart?.();
  // Calls are answered while what answers them is there: from here on, and at the end before it is stopped.
  teardown.add(() => server.close());
  await app.startAllMicroservices();
  const announcer = announcerOf(foundation, parts);
  teardown.add(() => announcer.stop());
  announcer.start();
  const engine = engineOf(foundation, config, parts);
  const wakes = new ReconcilerWakes(foundation, engine, parts.reconcilers);
  teardown.add(() => wakes.stop());
  wakes.start();
  let stopped: Promise<void> | undefined;
  const stopWork = (): Promise<void> => (stopped ??= engine.stop());
  teardown.add(stopWork);
  // Whoever moves an installation here waits for the replicas that are known, as this one is by now: a move that is not seen yet will wait for it.
  await foundation.moves.check();
  engine.start();
  noLongerStarting();
  foundation.status.changed();
  logger.info('Started', { kinds: parts.kinds.length, reconcilers: parts.reconcilers.length });
  return { methods, stopWork };
}

interface App {
  readonly app: NestFastifyApplication;
  readonly server: NatsServiceServer;
  readonly parts: ServiceParts;
  readonly methods: ServiceMethods;
}

async function createApp(foundation: Foundation, options: ServiceHostOptions, teardown: Teardown): Promise<App> {
  const { name: service, config, logger } = options;
  const server = new NatsServiceServer({ connection: foundation.nats, service, logger });
  const module = HostModule.of({ foundation, config, module: options.module, server });
  const app = await NestFactory.create<NestFastifyApplication>(module, new FastifyAdapter(), {
    logger: new NestLogger(logger),
    abortOnError: false,
  });
  teardown.add(() => app.close());
  app.connectMicroservice<MicroserviceOptions>({ strategy: server });
  const parts = app.get<ServiceParts>(SERVICE_PARTS, { strict: false });
  return { app, server, parts, methods: app.get(ServiceMethods, { strict: false }) };
}

function namesOf({ reconcilers }: ServiceParts): readonly string[] {
  return reconcilers.map(({ reconciler }) => reconciler.name);
}

function announcerOf(foundation: Foundation, parts: ServiceParts): ServiceAnnouncer {
  const { nats: connection, service, issuer: tokens, logger } = foundation;
  const kinds = parts.kinds.map(({ definition, schema }) => kindInfoOf(definition, schema));
  return new ServiceAnnouncer({ connection, service, tokens, kinds, logger });
}

function engineOf(foundation: Foundation, config: HostConfig, parts: ServiceParts): ReconcileEngine {
  const { queue, logger, metrics, tracer } = foundation;
  const { backoffCapMs: capMs, ...times } = config.reconcile;
  const engine = new ReconcileEngine({ queue, logger, metrics, tracer, backoff: new Backoff({ capMs }), ...times });
  for (const { reconciler, kind, options = {} } of parts.reconcilers) {
    engine.register({ reconciler, kind: kind.kind, options });
  }
  return engine;
}
