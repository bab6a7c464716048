import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ensureKeyPair,
  FileKeyStore,
  inboxPrefix,
  natsServerConfig,
  ServiceRegistry,
  ServiceTokenIssuer,
  SERVICES,
} from '@crate/auth';
import { POLICY, type Policy } from '@crate/api';
import { Database } from '@crate/database';
import { connectNats, NatsResourceApi, NatsServiceCaller, PayloadSealer } from '@crate/messaging';
import { TypedClient, type CallContext } from '@crate/resource-client';
import { ServiceHost } from '@crate/service-host';
import { InMemoryLogger, newTraceId } from '@crate/telemetry';
import { startNats, startPostgres, type NatsServer, type PostgresServer } from '@crate/testing';
import { policyMgmtConfig } from '../config.js';
import { POLICY_MGMT_MIGRATIONS, POLICY_MGMT_SEALED_TABLES } from '../migrations.js';
import { PolicyMgmtModule } from '../policy-mgmt.module.js';

const PASSWORD = 'a-password';

/** The real service on real servers, and the means to call it as another service. */
export class ServiceBench {
  readonly logger = new InMemoryLogger();
  readonly context: CallContext = { caller: { user: 'ada', groups: [] }, traceId: newTraceId() };
  private readonly closers: (() => Promise<unknown>)[] = [];
  private databaseUrl = '';

  private constructor(
    private readonly root: string,
    private readonly nats: NatsServer,
    private readonly postgres: PostgresServer,
  ) {}

  static async start(): Promise<ServiceBench> {
    const root = await mkdtemp(join(tmpdir(), 'crate-policy-mgmt-'));
    const users = SERVICES.map((service) => ({ service, password: PASSWORD }));
    const nats = await startNats({ config: natsServerConfig({ port: 4222, users }) });
    const bench = new ServiceBench(root, nats, await startPostgres());
    for (const service of SERVICES) await ensureKeyPair(bench.keys, service);
    bench.databaseUrl = (await bench.postgres.createDatabase()).url;
    return bench;
  }

  private get keys(): { privateDir: string; trustDir: string } {
    return { privateDir: join(this.root, 'private'), trustDir: join(this.root, 'trust') };
  }

  /** One more replica of the service. */
  async replica(): Promise<ServiceHost> {
    const config = policyMgmtConfig.parse({
      database: { url: this.databaseUrl },
      nats: { url: this.nats.url, user: 'policy-mgmt', password: PASSWORD },
      keys: this.keys,
      encryption: { keysDir: join(this.root, 'encryption') },
    });
    const { logger } = this;
    const signal = new AbortController().signal;
    const tables = { migrations: POLICY_MGMT_MIGRATIONS, sealedTables: POLICY_MGMT_SEALED_TABLES };
    return ServiceHost.start({ name: 'policy-mgmt', module: PolicyMgmtModule, config, ...tables, logger, signal });
  }

  /** Past the service, as an earlier release would have left it. */
  async query(text: string): Promise<void> {
    const database = new Database({
      url: this.databaseUrl,
      schema: 'policy_mgmt',
      applicationName: 'test',
      maxConnections: 1,
    });
    await database.execute(text, []);
    await database.close();
  }

  async callerOf(service: string): Promise<NatsServiceCaller> {
    const { url } = this.nats;
    const options = { url, user: service, password: PASSWORD, name: service, inboxPrefix: inboxPrefix(service) };
    const connection = await connectNats({ ...options, logger: this.logger });
    this.closers.push(() => connection.close());
    const keys = new FileKeyStore(this.keys, service);
    return new NatsServiceCaller(
      connection,
      new ServiceTokenIssuer({ service, keys, registry: new ServiceRegistry() }),
      new PayloadSealer(service, keys),
    );
  }

  policies(calls: NatsServiceCaller): TypedClient<Policy> {
    return new TypedClient(new NatsResourceApi(calls, 'policy-mgmt'), POLICY, this.context);
  }

  async stop(): Promise<void> {
    for (const close of this.closers) await close();
    await this.nats.stop();
    await this.postgres.stop();
    await rm(this.root, { recursive: true, force: true });
  }
}
