import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { MicroserviceOptions } from '@nestjs/microservices';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { NatsServiceServer, ServiceAnnouncer } from '@crate/messaging';
import { Backoff, ReconcileEngine } from '@crate/reconcile';
import { kindInfoOf } from '@crate/resource-server';
import type { Logger } from '@crate/telemetry';
import { closeFoundation, openFoundation, type Foundation } from './foundation.js';
import type { HostConfig } from './host-config.js';
import { HostModule } from './host.module.js';
import { NestLogger } from './nest-logger.js';
import { ReconcilerWakes } from './reconcilers.js';
import { SERVICE_PARTS, type ServiceParts } from './service-parts.js';
import { openWorkRoutes } from './work-routes.js';

export interface ServiceHostOptions {
  readonly name: string;
  readonly module: Type;
  readonly config: HostConfig;
  readonly migrations: readonly string[];
  readonly logger: Logger;
  /** Gives up a start that waits for something. */
  readonly signal: AbortSignal;
}

interface Pieces {
  readonly foundation: Foundation;
  readonly app: NestFastifyApplication;
  readonly parts: ServiceParts;
  readonly announcer: ServiceAnnouncer;
  readonly engine: ReconcileEngine;
  readonly wakes: ReconcilerWakes;
}

/** A running service. */
export class ServiceHost {
  readonly foundation: Foundation;
  private readonly app: NestFastifyApplication;
  private readonly parts: ServiceParts;
  private readonly announcer: ServiceAnnouncer;
  private readonly engine: ReconcileEngine;
  private readonly wakes: ReconcilerWakes;

  private constructor(pieces: Pieces) {
    this.foundation = pieces.foundation;
    this.app = pieces.app;
    this.parts = pieces.parts;
    this.announcer = pieces.announcer;
    this.engine = pieces.engine;
    this.wakes = pieces.wakes;
  }

  /** Returns when the service answers calls and reconciles. */
  static async start(options: ServiceHostOptions): Promise<ServiceHost> {
    const { name, config, logger } = options;
    const foundation = await openFoundation({ service: name, ...options });
    const server = new NatsServiceServer({ connection: foundation.nats, service: name, logger });
    const module = HostModule.of({ foundation, config, module: options.module, server });
    const app = await NestFactory.create<NestFastifyApplication>(module, new FastifyAdapter(), {
      logger: new NestLogger(logger),
      abortOnError: false,
    });
    app.connectMicroservice<MicroserviceOptions>({ strategy: server });
    const parts = app.get<ServiceParts>(SERVICE_PARTS, { strict: false });
    const engine = engineOf(foundation, config, parts);
    const host = new ServiceHost({
      foundation,
      app,
      parts,
      engine,
      announcer: announcerOf(foundation, parts),
      wakes: new ReconcilerWakes(foundation, engine, parts.reconcilers),
    });
    await host.open(config);
    return host;
  }

  /** Stops in reverse order: no new work, passes and calls at hand end within their grace, then connections close. */
  async stop(): Promise<void> {
    const { foundation } = this;
    foundation.logger.info('Stopping');
    foundation.health.drain();
    this.announcer.stop();
    await this.engine.stop();
    await this.wakes.stop();
    await this.parts.onStop?.();
    await this.app.close();
    await closeFoundation(foundation);
    foundation.logger.info('Stopped');
  }

  private async open(config: HostConfig): Promise<void> {
    const { foundation, parts } = this;
    for (const kind of parts.kinds) foundation.kinds.add(kind);
    await openWorkRoutes(foundation.database, parts.reconcilers);
    await this.app.startAllMicroservices();
    await this.app.listen(config.health.port, config.health.host);
    await parts.onStart?.();
    this.announcer.start();
    this.wakes.start();
    this.engine.start();
    foundation.logger.info('Started', { kinds: parts.kinds.length, reconcilers: parts.reconcilers.length });
  }
}

function announcerOf(foundation: Foundation, parts: ServiceParts): ServiceAnnouncer {
  const { nats: connection, service, issuer: tokens, logger } = foundation;
  const kinds = parts.kinds.map(({ definition, schema }) => kindInfoOf(definition, schema));
  return new ServiceAnnouncer({ connection, service, tokens, kinds, logger });
}

function engineOf(foundation: Foundation, config: HostConfig, parts: ServiceParts): ReconcileEngine {
  const { queue, logger, metrics } = foundation;
  const { backoffCapMs: capMs, ...times } = config.reconcile;
  const engine = new ReconcileEngine({ queue, logger, metrics, backoff: new Backoff({ capMs }), ...times });
  for (const { reconciler, kind, options = {} } of parts.reconcilers) {
    engine.register({ reconciler, kind: kind.kind, options });
  }
  return engine;
}
