import { AUDIT_MIGRATIONS, writeWitness } from '@crate/audit';
import { Database, migrate } from '@crate/database';
import type { WorkQueue } from '@crate/reconcile';
import type { KindRegistry } from '@crate/resource-server';
import { PostgresResourceStore, resourceStoreMigrations } from '@crate/resource-store';
import {
  AesGcmSecretBox,
  PostgresSecretStore,
  SecretRenewal,
  SECRETS_MIGRATIONS,
  type SecretStore,
} from '@crate/secrets';
import type { Metrics } from '@crate/telemetry';
import { PostgresWorkQueue, WORK_QUEUE_MIGRATIONS } from '@crate/work-queue';
import { keepHistory } from './change-history.js';
import { schemaOf, type FoundationOptions } from './foundation-options.js';
import { KeyRotation } from './key-rotation.js';
import { observeDatabase } from './metrics/database-metrics.js';
import { ServerWatch } from './metrics/server-watch.js';
import { commitTimes, observeStore } from './metrics/store-metrics.js';
import { SERVICE_HOST_MIGRATIONS } from './migrations.js';
import { openKeys } from './open-keys.js';
import { MoveWatch } from './pivot/move-watch.js';
import { replicaName } from './status/replica-identity.js';

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

/** What a service keeps in its database. */
export interface Data {
  readonly database: Database;
  /** The server that the database is on. */
  readonly databaseServer: ServerWatch;
  readonly store: PostgresResourceStore;
  readonly queue: WorkQueue;
  readonly secrets: SecretStore;
  /** Seals what a service keeps in tables of its own. */
  readonly box: AesGcmSecretBox;
  readonly moves: MoveWatch;
}

/** Brings the database up to date and opens what is in it. */
export async function openData(options: FoundationOptions, kinds: KindRegistry, metrics: Metrics): Promise<Data> {
  const { config, service } = options;
  const database = await openDatabase(options);
  const moves = await openMoves(options, database);
  const databaseServer = new ServerWatch(database);
  options.teardown.add(databaseServer.start());
  observeDatabase(metrics, database, databaseServer);
  const store = openStore(options, { database, kinds, metrics });
  const box = await openBox(options, database, metrics);
  const { keptVersions } = config.encryption;
  return {
    database,
    databaseServer,
    store,
    queue: new PostgresWorkQueue({ database, holder: replicaName(service) }),
    secrets: new PostgresSecretStore({ database, box, keptVersions }),
    box,
    moves,
  };
}

async function openDatabase(options: FoundationOptions): Promise<Database> {
  const { config, service, migrations, teardown, logger } = options;
  const schema = schemaOf(options);
  const { url, poolSize } = config.database;
  await migrate({
    url,
    schema,
    directories: [...LIBRARY_MIGRATIONS, ...migrations],
    onLocked: (migration, why) => logger.warn('A migration waits for a lock', { schema, migration, why }),
  });
  const database = new Database({ url, schema, applicationName: service, maxConnections: poolSize });
  teardown.add(() => database.close());
  return database;
}

/** Before anything is read that a move to here is about to replace. */
async function openMoves({ logger, signal, teardown }: FoundationOptions, database: Database): Promise<MoveWatch> {
  const moves = new MoveWatch({
    database,
    everyMs: MOVE_LOOK_MS,
    logger,
    // Whoever looks after the process starts it again, and the start waits for the end of the move. Another service of the process may have asked for it.
    onReplaced: () => void (signal.aborted || process.kill(process.pid, 'SIGTERM')),
  });
  teardown.add(() => moves.stop());
  await moves.start(signal);
  return moves;
}

interface StoreParts {
  readonly database: Database;
  readonly kinds: KindRegistry;
  readonly metrics: Metrics;
}

function openStore(options: FoundationOptions, { database, kinds, metrics }: StoreParts): PostgresResourceStore {
  const { config, service, teardown, logger } = options;
  const store = new PostgresResourceStore({
    database,
    history: config.history.changes,
    witness: writeWitness({ service, kinds }),
    onCommit: commitTimes(metrics),
  });
  observeStore(metrics, store);
  teardown.add(() => store.close());
  teardown.add(keepHistory(store, config.history, logger));
  return store;
}

/** Its keys change from time to time, and what older ones sealed is sealed anew. */
async function openBox(
  { config, teardown, logger, sealedTables }: FoundationOptions,
  database: Database,
  metrics: Metrics,
): Promise<AesGcmSecretBox> {
  const { renewalCheckMs: everyMs } = config.encryption;
  const box = new AesGcmSecretBox(await openKeys({ config, database, sealedTables, logger, metrics }));
  const rotation = new KeyRotation({
    renewal: new SecretRenewal(database, box, sealedTables),
    everyMs,
    logger,
    metrics,
  });
  teardown.add(() => rotation.stop());
  rotation.start();
  return box;
}
