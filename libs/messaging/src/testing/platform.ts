import 'reflect-metadata';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ensureKeyPair,
  FileKeyStore,
  inboxPrefix,
  natsServerConfig,
  SERVICES,
  ServiceRegistry,
  ServiceTokenIssuer,
  ServiceTokenVerifier,
} from '@crate/auth';
import { InMemoryLogger, InMemoryTracer, Logger, Tracer } from '@crate/telemetry';
import { NatsSpy, startNats, withSpy, type NatsServer } from '@crate/testing';
import type { NatsConnection } from '@nats-io/nats-core';
import { Module, type INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { connectNats } from '../connection/connect-nats.js';
import { NatsServiceCaller } from '../call/nats-service-caller.js';
import { NatsServiceServer } from '../serve/nats-service-server.js';
import { NatsServiceModule } from '../serve/service-controller.js';
import { PayloadSealer } from '../sealing/payload-sealer.js';
import { ServiceMethods, type ServiceMethod } from '../serve/service-methods.js';

export const PASSWORD = 'a-password';

/** A replica of a service on the test platform. */
export interface Replica {
  readonly connection: NatsConnection;
  readonly server: NatsServiceServer;
  /** As the process would on SIGTERM. */
  stop(): Promise<void>;
  /** As `kill -9` would: the socket closes, nothing else happens. */
  kill(): Promise<void>;
}

/** A real nats-server with the real permissions, and a key pair for every service. */
export class TestPlatform {
  readonly registry = new ServiceRegistry();
  readonly logger = new InMemoryLogger();
  /** Of every service that is served here. */
  readonly tracer = new InMemoryTracer();
  private readonly connections: NatsConnection[] = [];
  private readonly apps: INestMicroservice[] = [];

  private constructor(
    readonly nats: NatsServer,
    readonly directory: string,
  ) {}

  static async start(maxPayload?: number): Promise<TestPlatform> {
    const users = SERVICES.map((service) => ({ service, password: PASSWORD }));
    const config = natsServerConfig({ port: 4222, users, ...(maxPayload === undefined ? {} : { maxPayload }) });
    const directory = await mkdtemp(join(tmpdir(), 'crate-messaging-'));
    const platform = new TestPlatform(await startNats({ config: withSpy(config) }), directory);
    for (const service of SERVICES) await ensureKeyPair(platform.keyDirectories, service);
    return platform;
  }

  get keyDirectories(): { privateDir: string; trustDir: string } {
    return { privateDir: join(this.directory, 'private'), trustDir: join(this.directory, 'trust') };
  }

  /** Hears everything that crosses NATS. */
  async spy(): Promise<NatsSpy> {
    return NatsSpy.listen(this.nats.port);
  }

  keys(service: string): FileKeyStore {
    return new FileKeyStore(this.keyDirectories, service);
  }

  issuer(service: string, now?: () => number): ServiceTokenIssuer {
    const clock = now === undefined ? {} : { now };
    return new ServiceTokenIssuer({ service, keys: this.keys(service), registry: this.registry, ...clock });
  }

  sealer(service: string): PayloadSealer {
    return new PayloadSealer(service, this.keys(service));
  }

  verifier(service: string): ServiceTokenVerifier {
    return new ServiceTokenVerifier({ service, keys: this.keys(service), registry: this.registry });
  }

  async connect(service: string): Promise<NatsConnection> {
    const connection = await connectNats({
      url: this.nats.url,
      user: service,
      password: PASSWORD,
      name: service,
      inboxPrefix: inboxPrefix(service),
      logger: this.logger,
    });
    this.connections.push(connection);
    return connection;
  }

  async caller(service: string, now?: () => number): Promise<NatsServiceCaller> {
    return new NatsServiceCaller(await this.connect(service), this.issuer(service, now), this.sealer(service));
  }

  /** Starts one replica of a service; `methods` may need the server's `closing` signal. */
  async serve(
    service: string,
    methods: (server: NatsServiceServer) => Readonly<Record<string, ServiceMethod>>,
  ): Promise<Replica> {
    const connection = await this.connect(service);
    const server = new NatsServiceServer({ connection, service, logger: this.logger });
    const app = await NestFactory.createMicroservice(this.module(service, methods(server)), {
      strategy: server,
      logger: false,
    });
    await app.listen();
    this.apps.push(app);
    return { connection, server, stop: async () => app.close(), kill: async () => connection.close() };
  }

  async stop(): Promise<void> {
    for (const connection of this.connections) await connection.close();
    for (const app of this.apps) await app.close();
    await this.nats.stop();
    await rm(this.directory, { recursive: true, force: true });
  }

  private module(service: string, methods: Readonly<Record<string, ServiceMethod>>): new () => object {
    const providers = [
      { provide: ServiceMethods, useValue: new ServiceMethods(methods) },
      { provide: ServiceTokenVerifier, useValue: this.verifier(service) },
      { provide: PayloadSealer, useValue: this.sealer(service) },
      { provide: Logger, useValue: this.logger },
      { provide: Tracer, useValue: this.tracer },
    ];

    @Module({ providers, exports: providers })
    class PlatformModule {}

    @Module({ imports: [{ module: PlatformModule, global: true }, NatsServiceModule.forService(service)] })
    class AppModule {}

    return AppModule;
  }
}
