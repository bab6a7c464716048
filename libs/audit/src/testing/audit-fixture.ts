import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { API_KEY, CLOUD_ACCOUNT, CLUSTER, PROJECT, type KubeObjectInput } from '@crate/api';
import { ensureKeyPair, FileKeyStore } from '@crate/auth';
import { Database, migrate } from '@crate/database';
import type { CallContext, ResourceApi, ResourceType } from '@crate/resource-client';
import { KindRegistry, LocalResourceApi } from '@crate/resource-server';
import { PostgresResourceStore, resourceStoreMigrations } from '@crate/resource-store';
import { InMemoryLogger, InMemoryMetrics } from '@crate/telemetry';
import type { PostgresServer } from '@crate/testing';
import { WORK_QUEUE_MIGRATIONS } from '@crate/work-queue';
import { AuditKeeper } from '../audit-keeper.js';
import { AuditedResourceApi } from '../audited-resource-api.js';
import { CallRecorder } from '../call-recorder.js';
import { AUDIT_MIGRATIONS } from '../migrations.js';
import { PostgresAuditLog } from '../postgres-audit-log.js';
import type { AuditRecord } from '../record.js';
import { verifyChain, type ChainReport } from '../verify-chain.js';
import { writeWitness } from '../write-witness.js';

const SERVICE = 'lifecycle';

export const PROJECTS: ResourceType = { group: PROJECT.group, version: PROJECT.version, plural: PROJECT.plural };
export const API_KEYS: ResourceType = { group: API_KEY.group, version: API_KEY.version, plural: API_KEY.plural };
export const CLUSTERS: ResourceType = { group: CLUSTER.group, version: CLUSTER.version, plural: CLUSTER.plural };

/** Ada at her own desk. */
export const ADA: CallContext = {
  caller: { user: 'ada', groups: ['team-a'] },
  traceId: '0123456789abcdef0123456789abcdef',
  origin: { address: '192.0.2.7', userAgent: 'kubectl/v1.33' },
};

/** Another service at its own work. */
export const CLOUD_MGMT: CallContext = {
  caller: { user: 'system:cloud-mgmt', groups: [], service: 'cloud-mgmt' },
  traceId: ADA.traceId,
};

/** The service at its own work. */
export const SELF: CallContext = { ...CLOUD_MGMT, caller: { user: 'system:lifecycle', groups: [], service: SERVICE } };

export function aProject(name: string, spec: Record<string, unknown> = {}): KubeObjectInput {
  return { apiVersion: 'lifecycle.crate.dev/v1alpha1', kind: 'Project', metadata: { name }, spec };
}

/** A refusal, as a call leaves it. */
export const RECORD = {
  time: '2026-01-01T00:00:00.000Z',
  service: 'lifecycle',
  user: 'bob',
  groups: [],
  traceId: 't',
  verb: 'delete',
  group: 'g',
  resource: 'things',
  project: '',
  decision: 'denied' as const,
  code: 403,
};

/** Says of the third row that somebody else did it. */
export const CHANGE_THREE = `UPDATE audit_log SET line = replace(line, '"ada"', '"eve"'), user_name = 'eve' WHERE seq = 3`;

/** One service's store and audit log in a database of their own. */
export class AuditFixture {
  readonly logger = new InMemoryLogger();
  readonly metrics = new InMemoryMetrics();
  /** What is given as that of any cluster. */
  kubeconfig = 'apiVersion: v1\n';
  readonly kinds = new KindRegistry([
    { definition: PROJECT },
    { definition: CLOUD_ACCOUNT },
    { definition: API_KEY, subresources: { token: { write: () => Promise.resolve({ kind: 'Token' }) } } },
    { definition: CLUSTER, subresources: { kubeconfig: () => Promise.resolve(this.kubeconfig) } },
  ]);
  readonly keys: FileKeyStore;
  readonly log: PostgresAuditLog;
  readonly store: PostgresResourceStore;
  readonly api: ResourceApi;
  now = new Date('2026-01-01T00:00:00.000Z');

  private constructor(
    readonly database: Database,
    private readonly directory: string,
  ) {
    this.keys = new FileKeyStore(
      { privateDir: join(directory, 'private'), trustDir: join(directory, 'trust') },
      SERVICE,
    );
    this.log = new PostgresAuditLog(database, SERVICE);
    this.store = this.replica();
    this.api = this.apiOn(this.store);
  }

  static async open(server: PostgresServer): Promise<AuditFixture> {
    const directory = await mkdtemp(join(tmpdir(), 'crate-audit-'));
    await ensureKeyPair({ privateDir: join(directory, 'private'), trustDir: join(directory, 'trust') }, SERVICE);
    const { url } = await server.createDatabase(withTables);
    return new AuditFixture(new Database({ url, schema: SERVICE, maxConnections: 20 }), directory);
  }

  /** Projects, one row each. */
  async write(count: number, first = 1): Promise<void> {
    for (let n = first; n < first + count; n += 1) await this.api.create(PROJECTS, aProject(`team-${n}`), {}, ADA);
  }

  async verify(): Promise<ChainReport> {
    return verifyChain({ log: this.log, keys: this.keys, limit: 100_000 });
  }

  /** A further replica's store. The caller closes it. */
  replica(): PostgresResourceStore {
    const witness = writeWitness({ service: SERVICE, kinds: this.kinds, now: () => this.now });
    return new PostgresResourceStore({ database: this.database, witness });
  }

  apiOn(store: PostgresResourceStore): ResourceApi {
    const { log, logger, kinds } = this;
    const recorder = new CallRecorder({ service: SERVICE, log, logger, now: () => this.now });
    return new AuditedResourceApi(new LocalResourceApi({ store, kinds }), kinds, recorder);
  }

  keeper(retentionMs = 0): AuditKeeper {
    const { log, keys, logger, metrics } = this;
    return new AuditKeeper({
      service: SERVICE,
      log,
      keys,
      logger,
      metrics,
      everyMs: 60_000,
      retentionMs,
      now: () => this.now,
    });
  }

  async records(): Promise<readonly AuditRecord[]> {
    const { rows } = await this.log.read({ after: 0, limit: 1_000 });
    return rows.map(({ line }) => JSON.parse(line) as AuditRecord);
  }

  /** As somebody with all rights in the database, who also knows how to switch the triggers off. */
  async tamper(...statements: readonly string[]): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await transaction.rowsOnce('ALTER TABLE audit_log DISABLE TRIGGER USER');
      await transaction.rowsOnce('ALTER TABLE audit_checkpoints DISABLE TRIGGER USER');
      for (const statement of statements) await transaction.rowsOnce(statement);
      await transaction.rowsOnce('ALTER TABLE audit_log ENABLE TRIGGER USER');
      await transaction.rowsOnce('ALTER TABLE audit_checkpoints ENABLE TRIGGER USER');
    });
  }

  async close(): Promise<void> {
    await this.store.close();
    await this.database.close();
    await rm(this.directory, { recursive: true, force: true });
  }
}

function withTables(url: string): Promise<unknown> {
  const directories = [resourceStoreMigrations, WORK_QUEUE_MIGRATIONS, AUDIT_MIGRATIONS];
  return migrate({ url, schema: SERVICE, directories });
}
