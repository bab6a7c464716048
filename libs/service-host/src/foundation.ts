import { hostname } from 'node:os';
import { FileKeyStore } from '@crate/auth';
import { EventStream, servedEvents } from '@crate/events';
import { NatsHintBus, type HintBus } from '@crate/messaging';
import type { ResourceApi } from '@crate/resource-client';
import { KindRegistry, LocalResourceApi, withOwnApis } from '@crate/resource-server';
import {
  HealthRegistry,
  openTracer,
  PrometheusMetrics,
  Redactor,
  type Logger,
  type Metrics,
  type Tracer,
} from '@crate/telemetry';
import { openAuditTrail, type AuditTrail } from './audit-trail.js';
import { keepHistory } from './change-history.js';
import { schemaOf, type FoundationOptions } from './foundation-options.js';
import { observeBuild, ownVersion } from './metrics/build-info.js';
import { openData, type Data } from './open-data.js';
import { openMessaging, type Messaging } from './open-messaging.js';
import { refusedOnceMoved } from './pivot/refused-api.js';
import { openRecovery } from './recovery/open-recovery.js';
import type { RecoveryState } from './recovery/recovery-state.js';
import { RoutedServiceClients, type ServiceClients } from './service-clients.js';
import { ServiceStatus } from './status/service-status.js';

/** What every service stands on; open until the teardown that was given runs. */
export interface Foundation extends Data, Messaging {
  readonly service: string;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
  readonly health: HealthRegistry;
  /** How the service is, over all of its replicas. */
  readonly status: ServiceStatus;
  readonly audit: AuditTrail;
  /** Whether the database is older than the world. */
  readonly recovery: RecoveryState;
  /** Aborted once the installation has moved away: nothing may be answered any more but its reason, an Unavailable with the new address. */
  readonly moved: AbortSignal;
  /** What is told to people. */
  readonly events: EventStream;
  readonly hints: NatsHintBus & HintBus;
  readonly kinds: KindRegistry;
  readonly api: ResourceApi;
  readonly clients: ServiceClients;
}

/** Opens everything in the order of dependence. Safe with any number of replicas starting at once. */
export async function openFoundation(options: FoundationOptions): Promise<Foundation> {
  const { service, config, logger, teardown } = options;
  const kinds = new KindRegistry();
  const metrics = new PrometheusMetrics({ service });
  observeBuild(metrics);
  // First opened, last closed: what is traced while all else stops is sent as well.
  const tracer = await openTraces(options, metrics);
  const data = await openData(options, kinds, metrics);
  const { database, databaseServer, store, moves } = data;
  // The events' tables are there from here on, and nothing is told yet.
  const events = await openEvents(options, metrics);
  const recovery = await openRecovery({ ...options, database, schema: schemaOf(options), metrics });
  const keys = new FileKeyStore(config.keys, service);
  const messaging = await openMessaging(options, keys, metrics);
  const { nats, registry, calls } = messaging;
  // Not announced: what all services tell is read where it is gathered, in lifecycle.
  kinds.add(servedEvents(events.api));
  const audit = openAuditTrail({ ...options, database, keys, metrics });
  const local = audit.watchOver(withOwnApis(new LocalResourceApi({ store, kinds }), kinds), kinds);
  const api = refusedOnceMoved(local, moves.moved);
  const heard = [service, ...registry.calleesOf(service)];
  const hints = new NatsHintBus({ connection: nats, service, heard, logger });
  teardown.add(() => hints.close());
  const health = healthOf({ database, nats });
  const status = new ServiceStatus({
    service,
    database,
    databaseServer,
    nats,
    tls: config.nats.tls,
    health,
    recovery,
    logger,
  });
  return {
    service,
    logger,
    metrics,
    tracer,
    health,
    status,
    ...data,
    audit,
    recovery,
    moved: moves.moved,
    events,
    ...messaging,
    hints,
    kinds,
    api,
    clients: new RoutedServiceClients(service, api, calls, registry),
  };
}

function healthOf({ database, nats }: Pick<Foundation, 'database' | 'nats'>): HealthRegistry {
  const health = new HealthRegistry();
  health.register('postgres', () => database.rows('SELECT 1'));
  health.register('nats', () => nats.flush());
  return health;
}

async function openTraces(options: FoundationOptions, metrics: Metrics): Promise<Tracer> {
  const { service, config, logger, teardown, redactor = new Redactor() } = options;
  const instance = `${hostname()}:${process.pid}`;
  const tracer = await openTracer({
    service,
    instance,
    version: ownVersion(),
    settings: config.tracing,
    redactor,
    metrics,
    logger,
  });
  teardown.add(() => tracer.close());
  return tracer;
}

async function openEvents(options: FoundationOptions, metrics: Metrics): Promise<EventStream> {
  const { service, config, logger, teardown } = options;
  const reporter = { component: service, instance: hostname() };
  const { url } = config.database;
  const events = await EventStream.open({
    reporter,
    url,
    schema: schemaOf(options),
    ...config.events,
    logger,
    metrics,
  });
  teardown.add(() => events.close());
  teardown.add(keepHistory(events.store, config.history, logger));
  return events;
}
