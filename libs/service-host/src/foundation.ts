import { hostname } from 'node:os';
import { FileKeyStore, inboxPrefix, ServiceRegistry, ServiceTokenIssuer, ServiceTokenVerifier } from '@crate/auth';
import { Database, migrate } from '@crate/database';
import { connectNats, NatsHintBus, NatsServiceCaller, type HintBus, type ServiceCaller } from '@crate/messaging';
import type { WorkQueue } from '@crate/reconcile';
import { KindRegistry, LocalResourceApi } from '@crate/resource-server';
import { PostgresResourceStore, resourceStoreMigrations } from '@crate/resource-store';
import {
  AesGcmSecretBox,
  FileKeyProvider,
  PostgresSecretStore,
  SECRETS_MIGRATIONS,
  type SecretStore,
} from '@crate/secrets';
import { HealthRegistry, PrometheusMetrics, type Logger, type Metrics } from '@crate/telemetry';
import { PostgresWorkQueue, WORK_QUEUE_MIGRATIONS } from '@crate/work-queue';
import type { HostConfig } from './host-config.js';
import { RoutedServiceClients, type ServiceClients } from './service-clients.js';

type NatsConnection = Awaited<ReturnType<typeof connectNats>>;

/** What every service stands on; open until `closeFoundation`. */
export interface Foundation {
  readonly service: string;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly health: HealthRegistry;
  readonly database: Database;
  readonly store: PostgresResourceStore;
  readonly queue: WorkQueue;
  readonly secrets: SecretStore;
  readonly nats: NatsConnection;
  readonly registry: ServiceRegistry;
  readonly issuer: ServiceTokenIssuer;
  readonly verifier: ServiceTokenVerifier;
  readonly calls: ServiceCaller;
  readonly hints: NatsHintBus & HintBus;
  readonly kinds: KindRegistry;
  readonly api: LocalResourceApi;
  readonly clients: ServiceClients;
}

export interface FoundationOptions {
  readonly service: string;
  readonly config: HostConfig;
  readonly logger: Logger;
  /** The service's own migrations, applied after those of the libraries. */
  readonly migrations: readonly string[];
  readonly signal: AbortSignal;
}

/** Opens everything in the order of dependence. Safe with any number of replicas starting at once. */
export async function openFoundation(options: FoundationOptions): Promise<Foundation> {
  const { service, config, logger, signal } = options;
  const data = await openData(options);
  const registry = new ServiceRegistry();
  const keys = new FileKeyStore(config.keys, service);
  const issuer = new ServiceTokenIssuer({ service, keys, registry });
  const verifier = new ServiceTokenVerifier({ service, keys, registry });
  const { url, user, password } = config.nats;
  const name = `${service}@${hostname()}:${process.pid}`;
  const nats = await connectNats({ url, user, password, name, inboxPrefix: inboxPrefix(service), logger, signal });
  const calls = new NatsServiceCaller(nats, issuer);
  const heard = [service, ...registry.calleesOf(service)];
  const kinds = new KindRegistry();
  const api = new LocalResourceApi({ store: data.store, kinds });
  const health = new HealthRegistry();
  health.register('postgres', () => data.database.rows('SELECT 1'));
  health.register('nats', () => nats.flush());
  return {
    service,
    logger,
    metrics: new PrometheusMetrics({ service }),
    health,
    ...data,
    nats,
    registry,
    issuer,
    verifier,
    calls,
    hints: new NatsHintBus({ connection: nats, service, heard, logger }),
    kinds,
    api,
    clients: new RoutedServiceClients(service, api, calls, registry),
  };
}

type Data = Pick<Foundation, 'database' | 'store' | 'queue' | 'secrets'>;

async function openData({ service, config, migrations }: FoundationOptions): Promise<Data> {
  const schema = config.database.schema ?? service.replaceAll('-', '_');
  const { url, poolSize } = config.database;
  await migrate({
    url,
    schema,
    directories: [resourceStoreMigrations, WORK_QUEUE_MIGRATIONS, SECRETS_MIGRATIONS, ...migrations],
  });
  const database = new Database({ url, schema, applicationName: service, maxConnections: poolSize });
  const box = new AesGcmSecretBox(await FileKeyProvider.ensure(config.encryption.keysDir));
  return {
    database,
    store: new PostgresResourceStore({ database }),
    queue: new PostgresWorkQueue({ database }),
    secrets: new PostgresSecretStore({ pool: database.pool, box }),
  };
}

/** Closes connections; nothing of the foundation may be used afterwards. */
export async function closeFoundation(foundation: Foundation): Promise<void> {
  foundation.hints.close();
  await foundation.nats.drain();
  await foundation.store.close();
  await foundation.database.close();
}
