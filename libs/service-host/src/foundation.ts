import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { AUDIT_MIGRATIONS, writeWitness } from '@crate/audit';
import { FileKeyStore, inboxPrefix, ServiceRegistry, ServiceTokenIssuer, ServiceTokenVerifier } from '@crate/auth';
import { Database, migrate } from '@crate/database';
import {
  connectNats,
  NatsHintBus,
  NatsServiceCaller,
  PayloadSealer,
  type HintBus,
  type ServiceCaller,
} from '@crate/messaging';
import { EventStream, servedEvents } from '@crate/events';
import type { WorkQueue } from '@crate/reconcile';
import type { ResourceApi } from '@crate/resource-client';
import { KindRegistry, LocalResourceApi, withOwnApis } from '@crate/resource-server';
import { PostgresResourceStore, resourceStoreMigrations } from '@crate/resource-store';
import {
  AesGcmSecretBox,
  FileKeyProvider,
  PostgresSecretStore,
  SecretRenewal,
  SECRETS_MIGRATIONS,
  type SecretStore,
} from '@crate/secrets';
import {
  HealthRegistry,
  openTracer,
  PrometheusMetrics,
  Redactor,
  type Logger,
  type Metrics,
  type Tracer,
} from '@crate/telemetry';
import { PostgresWorkQueue, WORK_QUEUE_MIGRATIONS } from '@crate/work-queue';
import { openAuditTrail, type AuditTrail } from './audit-trail.js';
import { keepHistory } from './change-history.js';
import { KeyRotation } from './key-rotation.js';
import { observeBuild, ownVersion } from './metrics/build-info.js';
import { MeasuredServiceCaller } from './metrics/call-metrics.js';
import { observeDatabase } from './metrics/database-metrics.js';
import { observeNats, observeNatsCertificates } from './metrics/nats-metrics.js';
import { commitTimes, observeStore } from './metrics/store-metrics.js';
import type { HostConfig } from './host-config.js';
import { SERVICE_HOST_MIGRATIONS } from './migrations.js';
import { MoveWatch } from './pivot/move-watch.js';
import { refusedOnceMoved } from './pivot/refused-api.js';
import { openRecovery } from './recovery/open-recovery.js';
import type { RecoveryState } from './recovery/recovery-state.js';
import { RoutedServiceClients, type ServiceClients } from './service-clients.js';
import { replicaName } from './status/replica-identity.js';
import { ServiceStatus } from './status/service-status.js';
import type { Teardown } from './teardown.js';

const DRAIN_MS = 2_000;
/** How soon a process notices that its installation moves; until then the database alone refuses. */
const MOVE_LOOK_MS = 3_000;

/** Of tables that every service has; the order is that of dependence. */
const LIBRARY_MIGRATIONS = [
  resourceStoreMigrations,
  WORK_QUEUE_MIGRATIONS,
  AUDIT_MIGRATIONS,
  SECRETS_MIGRATIONS,
  SERVICE_HOST_MIGRATIONS,
];

type NatsConnection = Awaited<ReturnType<typeof connectNats>>;

/** What every service stands on; open until the teardown that was given runs. */
export interface Foundation {
  readonly service: string;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
  readonly health: HealthRegistry;
  /** How the service is, over all of its replicas. */
  readonly status: ServiceStatus;
  readonly database: Database;
  readonly store: PostgresResourceStore;
  readonly queue: WorkQueue;
  readonly secrets: SecretStore;
  /** Seals what a service keeps in tables of its own. */
  readonly box: AesGcmSecretBox;
  readonly audit: AuditTrail;
  /** Whether the database is older than the world. */
  readonly recovery: RecoveryState;
  /** Aborted once the installation has moved away: nothing may be answered any more but its reason, an Unavailable with the new address. */
  readonly moved: AbortSignal;
  /** What is told to people. */
  readonly events: EventStream;
  readonly nats: NatsConnection;
  readonly registry: ServiceRegistry;
  readonly issuer: ServiceTokenIssuer;
  readonly verifier: ServiceTokenVerifier;
  /** Seals what only one other service may read. */
  readonly sealer: PayloadSealer;
  readonly calls: ServiceCaller;
  readonly hints: NatsHintBus & HintBus;
  readonly kinds: KindRegistry;
  readonly api: ResourceApi;
  readonly clients: ServiceClients;
}

export interface FoundationOptions {
  readonly service: string;
  readonly config: HostConfig;
  readonly logger: Logger;
  /** Of what secrets the process knows; default: one that knows their shapes only. */
  readonly redactor?: Redactor;
  /** The service's own migrations, applied after those of the libraries. */
  readonly migrations: readonly string[];
  readonly signal: AbortSignal;
  /** Told how to close what was opened, also when the rest cannot be opened. */
  readonly teardown: Teardown;
}

/** Opens everything in the order of dependence. Safe with any number of replicas starting at once. */
export async function openFoundation(options: FoundationOptions): Promise<Foundation> {
  const { service, config, logger, signal, teardown } = options;
  const kinds = new KindRegistry();
  const metrics = new PrometheusMetrics({ service });
  observeBuild(metrics);
  // First opened, last closed: what is traced while all else stops is sent as well.
  const tracer = await openTraces(options, metrics);
  const data = await openData(options, kinds, metrics);
  const { database, moves } = data;
  // The events' tables are there from here on, and nothing is told yet.
  const events = await openEvents(options, metrics);
  const recovery = await openRecovery({ ...options, database, schema: schemaOf(options), metrics });
  const registry = new ServiceRegistry();
  const keys = new FileKeyStore(config.keys, service);
  const issuer = new ServiceTokenIssuer({ service, keys, registry });
  const verifier = new ServiceTokenVerifier({ service, keys, registry });
  const { url, user, password, tls } = config.nats;
  const name = replicaName(service);
  const nats = await connectNats({ url, tls, user, password, name, inboxPrefix: inboxPrefix(service), logger, signal });
  teardown.add(() => closeNats(nats));
  observeNats(metrics, nats);
  observeNatsCertificates(metrics, tls);
  const sealer = new PayloadSealer(service, keys);
  const calls = new MeasuredServiceCaller(new NatsServiceCaller(nats, issuer, sealer), metrics);
  const heard = [service, ...registry.calleesOf(service)];
  // Not announced: what all services tell is read where it is gathered, in lifecycle.
  kinds.add(servedEvents(events.api));
  const audit = openAuditTrail({ ...options, database: data.database, keys, metrics });
  const local = audit.watchOver(withOwnApis(new LocalResourceApi({ store: data.store, kinds }), kinds), kinds);
  const api = refusedOnceMoved(local, moves.moved);
  const hints = new NatsHintBus({ connection: nats, service, heard, logger });
  teardown.add(() => hints.close());
  const health = new HealthRegistry();
  health.register('postgres', () => data.database.rows('SELECT 1'));
  health.register('nats', () => nats.flush());
  const status = new ServiceStatus({ service, database, nats, tls, health, recovery, logger });
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
    nats,
    registry,
    issuer,
    verifier,
    sealer,
    calls,
    hints,
    kinds,
    api,
    clients: new RoutedServiceClients(service, api, calls, registry),
  };
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

type Data = Pick<Foundation, 'database' | 'store' | 'queue' | 'secrets' | 'box'> & { readonly moves: MoveWatch };

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
  return events;
}

function schemaOf({ service, config }: FoundationOptions): string {
  return config.database.schema ?? service.replaceAll('-', '_');
}

async function openData(options: FoundationOptions, kinds: KindRegistry, metrics: Metrics): Promise<Data> {
  const { config, service, migrations, teardown, logger } = options;
  const schema = schemaOf(options);
  const { url, poolSize } = config.database;
  await migrate({
    url,
    schema,
    directories: [...LIBRARY_MIGRATIONS, ...migrations],
    onLocked: (migration) => logger.warn('A migration waits for a long transaction', { schema, migration }),
  });
  const database = new Database({ url, schema, applicationName: service, maxConnections: poolSize });
  teardown.add(() => database.close());
  const moves = await openMoves(options, database);
  observeDatabase(metrics, database);
  const store = new PostgresResourceStore({
    database,
    history: config.history.changes,
    witness: writeWitness({ service, kinds }),
    onCommit: commitTimes(metrics),
  });
  observeStore(metrics, store);
  teardown.add(() => store.close());
  teardown.add(keepHistory(store, config.history, logger));
  const { keysDir, keptVersions, renewalCheckMs: everyMs, settleMs } = config.encryption;
  const box = new AesGcmSecretBox(await FileKeyProvider.ensure(keysDir, { settleMs }));
  const rotation = new KeyRotation({ renewal: new SecretRenewal(database.pool, box), everyMs, logger, metrics });
  teardown.add(() => rotation.stop());
  rotation.start();
  return {
    database,
    store,
    queue: new PostgresWorkQueue({ database, holder: replicaName(service) }),
    secrets: new PostgresSecretStore({ pool: database.pool, box, keptVersions }),
    box,
    moves,
  };
}

/** Before anything is read that a move to here is about to replace. */
async function openMoves({ logger, signal, teardown }: FoundationOptions, database: Database): Promise<MoveWatch> {
  const moves = new MoveWatch({
    database,
    everyMs: MOVE_LOOK_MS,
    logger,
    // Whoever looks after the process starts it again, and the start waits for the end of the move.
    onReceiving: () => process.kill(process.pid, 'SIGTERM'),
  });
  await moves.untilReceived(signal);
  teardown.add(() => moves.stop());
  await moves.start();
  return moves;
}

/** Lets what was published go out, unless the server is away: then nobody would hear it for as long as we wait. */
async function closeNats(nats: NatsConnection): Promise<void> {
  if (nats.isClosed()) return;
  await Promise.race([nats.drain().catch(() => undefined), delay(DRAIN_MS, undefined, { ref: false })]);
  await nats.close();
}
