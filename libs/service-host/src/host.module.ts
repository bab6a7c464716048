import { auditMethods } from '@crate/audit';
import { Global, Module, type DynamicModule, type Type } from '@nestjs/common';
import { ServiceTokenVerifier } from '@crate/auth';
import { Database } from '@crate/database';
import {
  HintBus,
  NatsServiceModule,
  PayloadSealer,
  resourceMethods,
  secrecyOf,
  ServiceCaller,
  ServiceMethods,
  type NatsServiceServer,
  type SecrecyOf,
} from '@crate/messaging';
import { EventRecorder, WorkQueue } from '@crate/reconcile';
import { ResourceApi } from '@crate/resource-client';
import { ResourceStore } from '@crate/resource-store';
import { SecretStore } from '@crate/secrets';
import { HealthRegistry, Logger, Metrics, Tracer } from '@crate/telemetry';
import type { Foundation } from './foundation.js';
import { HealthController } from './health.controller.js';
import { measuredMethods } from './metrics/call-metrics.js';
import { ServiceClients } from './service-clients.js';
import { statusMethods } from './status/service-status.js';
import { CONFIG, SERVICE_PARTS, type ServiceParts } from './service-parts.js';

/** Token of the whole foundation, for a service that mounts a front of its own. */
export const FOUNDATION = Symbol('FOUNDATION');

export interface HostModuleOptions {
  readonly foundation: Foundation;
  readonly config: unknown;
  readonly module: Type;
  readonly server: NatsServiceServer;
}

/** Makes the foundation injectable everywhere. */
@Global()
@Module({})
class FoundationModule {
  static of(foundation: Foundation, config: unknown): DynamicModule {
    const providers = [
      { provide: FOUNDATION, useValue: foundation },
      { provide: CONFIG, useValue: config },
      { provide: Database, useValue: foundation.database },
      { provide: ResourceStore, useValue: foundation.store },
      { provide: ResourceApi, useValue: foundation.api },
      { provide: EventRecorder, useValue: foundation.events.recorder },
      { provide: WorkQueue, useValue: foundation.queue },
      { provide: SecretStore, useValue: foundation.secrets },
      { provide: ServiceCaller, useValue: foundation.calls },
      { provide: HintBus, useValue: foundation.hints },
      { provide: ServiceClients, useValue: foundation.clients },
      { provide: ServiceTokenVerifier, useValue: foundation.verifier },
      { provide: PayloadSealer, useValue: foundation.sealer },
      { provide: Logger, useValue: foundation.logger },
      { provide: Metrics, useValue: foundation.metrics },
      { provide: Tracer, useValue: foundation.tracer },
      { provide: HealthRegistry, useValue: foundation.health },
    ];
    return { module: FoundationModule, providers, exports: providers.map(({ provide }) => provide) };
  }
}

/** Makes what the service answers to other services known to the NATS handler. */
@Global()
@Module({})
class MethodsModule {
  static of({ foundation, module, server }: HostModuleOptions): DynamicModule {
    const maxPayloadBytes = foundation.nats.info?.max_payload ?? 1024 * 1024;
    const secrecy: SecrecyOf = (type) => {
      const kind = foundation.kinds.find(type);
      return kind && secrecyOf(kind.info);
    };
    const useFactory = (parts: ServiceParts): ServiceMethods =>
      new ServiceMethods(
        measuredMethods(
          {
            ...resourceMethods({ api: foundation.api, closing: server.closing, maxPayloadBytes, secrecyOf: secrecy }),
            ...auditMethods(foundation.audit.answers),
            ...statusMethods(foundation.status),
            ...parts.methods,
          },
          foundation.metrics,
        ),
      );
    return {
      module: MethodsModule,
      imports: [module],
      providers: [{ provide: ServiceMethods, useFactory, inject: [SERVICE_PARTS] }],
      exports: [ServiceMethods],
    };
  }
}

/** The root module of a service process. */
@Module({})
export class HostModule {
  static of(options: HostModuleOptions): DynamicModule {
    const { foundation, config, module } = options;
    return {
      module: HostModule,
      imports: [
        FoundationModule.of(foundation, config),
        module,
        MethodsModule.of(options),
        NatsServiceModule.forService(foundation.service),
      ],
      controllers: [HealthController],
    };
  }
}
