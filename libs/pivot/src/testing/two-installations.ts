import { AUDIT_MIGRATIONS } from '@crate/audit';
import { Database, migrate } from '@crate/database';
import { resourceStoreMigrations } from '@crate/resource-store';
import { AesGcmSecretBox, FileKeyProvider, PostgresSecretStore, SECRETS_MIGRATIONS } from '@crate/secrets';
import type { PostgresServer } from '@crate/testing';
import { PostgresWorkQueue, WORK_QUEUE_MIGRATIONS } from '@crate/work-queue';
import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DirectoryKeyCarrier } from '../directory-key-carrier.js';
import { Installation } from '../installation.js';
import { summaryOf } from '../verify.js';

const SERVICES = ['cloud_mgmt', 'lifecycle'];
const PASSWORD = 'secret';
const RUNS = `CREATE TABLE terraform_runs (id text PRIMARY KEY, state text NOT NULL);
  CREATE TABLE service_replicas (name text NOT NULL, seen_at timestamptz NOT NULL, stopped_at timestamptz);
  CREATE TABLE parents (id int PRIMARY KEY);
  CREATE TABLE a_children (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, parent int REFERENCES parents, body jsonb NOT NULL, raw bytea)`;

/** One side: a database with the schemas of two services, and their encryption keys. */
export class Side {
  private readonly open: Database[] = [];

  private constructor(
    readonly url: string,
    readonly keysRoot: string,
    readonly installation: Installation,
  ) {}

  static async make(ownerUrl: string, keysRoot: string, name: string): Promise<Side> {
    const owner = new Database({ url: ownerUrl, schema: 'public', maxConnections: 1 });
    for (const schema of SERVICES) {
      for (const each of [schema, `${schema}_events`])
        await owner.rowsOnce(`CREATE SCHEMA ${each} AUTHORIZATION ${schema}`);
      const url = urlAs(ownerUrl, schema);
      const directories = [resourceStoreMigrations, WORK_QUEUE_MIGRATIONS, SECRETS_MIGRATIONS, AUDIT_MIGRATIONS];
      await migrate({ url, schema, directories });
      await migrate({ url, schema: `${schema}_events`, directories: [resourceStoreMigrations] });
      const database = new Database({ url, schema, maxConnections: 1 });
      await database.rowsOnce(`SELECT FROM set_config('search_path', '${schema}', false)`);
      for (const statement of RUNS.split(';')) await database.rowsOnce(statement);
      await database.execute(`INSERT INTO work_routes VALUES ('test', 'Widget', 'widget')`);
      await database.close();
    }
    await owner.close();
    return Side.open(ownerUrl, keysRoot, name);
  }

  static async open(url: string, keysRoot: string, name: string): Promise<Side> {
    return new Side(url, keysRoot, await Installation.open({ url, name }));
  }

  database(schema = 'lifecycle'): Database {
    const database = new Database({ url: this.url, schema, maxConnections: 3 });
    this.open.push(database);
    return database;
  }

  keysDirectory(schema: string): string {
    return join(this.keysRoot, schema);
  }

  async secrets(schema = 'cloud_mgmt'): Promise<PostgresSecretStore> {
    const box = new AesGcmSecretBox(await FileKeyProvider.ensure(this.keysDirectory(schema)));
    return new PostgresSecretStore({ database: this.database(schema), box });
  }

  queue(schema = 'lifecycle'): PostgresWorkQueue {
    return new PostgresWorkQueue({ database: this.database(schema) });
  }

  /** Whether the database takes a write that a service would make. */
  async takesWrites(): Promise<boolean> {
    return this.put(`probe-${randomUUID()}`).then(
      () => true,
      () => false,
    );
  }

  /** As a process of a service says that it is there; it goes on saying so for long. */
  async begin(replica: string): Promise<void> {
    await this.database('cloud_mgmt').execute(
      `INSERT INTO service_replicas VALUES ($1, clock_timestamp() + interval '1 hour')`,
      [replica],
    );
  }

  /** As a service writes an object. */
  async put(name: string, kind = 'Widget', database = this.database()): Promise<void> {
    const metadata = { name, namespace: 'a', uid: name, generation: 1 };
    const object = { apiVersion: 'test/v1', kind, metadata, spec: {} };
    const change = { type: 'ADDED', group: 'test', kind, namespace: 'a', name, uid: name, object };
    const audit = [
      { time: '2026-01-01T00:00:00.000Z', user: 'ada', project: 'a', verb: 'create', resource: 'widgets', change: 0 },
    ];
    const write = { versions: {}, dependents: {}, absent: null, changes: [change], audit };
    await database.rows('SELECT commit_resource_writes($1::jsonb, $2)', [JSON.stringify([write]), 'test']);
  }

  async names(schema = 'lifecycle'): Promise<readonly string[]> {
    const rows = await this.installation.transaction((transaction) =>
      transaction.rowsOnce<{ name: string }>(`SELECT name FROM ${schema}.resources ORDER BY name`),
    );
    return rows.map(({ name }) => name);
  }

  /** Every row and number, for comparing. */
  async contents(): Promise<unknown> {
    return this.installation.transaction(async (transaction) => {
      const summaries = [];
      for (const schema of this.installation.schemas) summaries.push(await summaryOf(transaction, schema));
      return summaries;
    });
  }

  async close(): Promise<void> {
    for (const database of this.open) await database.close();
    await this.installation.close();
  }
}

/** Two databases and key directories to make worlds of: copying them is quicker than filling them for each test. */
export class Prototype {
  private constructor(
    private readonly server: PostgresServer,
    private readonly directory: string,
    private readonly urls: readonly [source: string, target: string],
  ) {}

  /** The source has something of everything, the target what its services make at their start. */
  static async make(server: PostgresServer): Promise<Prototype> {
    const directory = await mkdtemp(join(tmpdir(), 'crate-pivot-'));
    await makeRoles(server);
    const urls = [await ownDatabase(server), await ownDatabase(server)] as const;
    const source = await Side.make(urls[0], join(directory, 'source'), 'the singleton');
    const target = await Side.make(urls[1], join(directory, 'target'), 'the platform');
    await fill(source);
    await target.put('made-at-start', 'ClusterClass');
    await (await target.secrets()).put('target', 'own', Buffer.from('of the target'));
    await Promise.all([source.close(), target.close()]);
    return new Prototype(server, directory, urls);
  }

  async world(): Promise<TwoInstallations> {
    const directory = await mkdtemp(join(tmpdir(), 'crate-pivot-'));
    await cp(this.directory, directory, { recursive: true });
    const [from, to] = await Promise.all(this.urls.map((url) => copyOf(this.server, url)));
    const source = await Side.open(from ?? '', join(directory, 'source'), 'the singleton');
    return new TwoInstallations(
      source,
      await Side.open(to ?? '', join(directory, 'target'), 'the platform'),
      directory,
      this.server,
    );
  }

  async remove(): Promise<void> {
    await rm(this.directory, { recursive: true, force: true });
  }
}

/** Where something is moved from, and where to. */
export class TwoInstallations {
  constructor(
    readonly source: Side,
    readonly target: Side,
    private readonly directory: string,
    private readonly server: PostgresServer,
  ) {}

  keys(): DirectoryKeyCarrier {
    const of = (side: Side): Record<string, string> => ({ cloud_mgmt: side.keysDirectory('cloud_mgmt') });
    return new DirectoryKeyCarrier({ from: of(this.source), to: of(this.target) });
  }

  async close(): Promise<void> {
    for (const side of [this.source, this.target]) {
      await side.close();
      await administer(this.server, `DROP DATABASE "${new URL(side.url).pathname.slice(1)}" WITH (FORCE)`);
    }
    await rm(this.directory, { recursive: true, force: true });
  }
}

/** As in a database of a cloud, where nobody is superuser: its owner made the roles of services and is a member of them. */
async function makeRoles(server: PostgresServer): Promise<void> {
  await administer(server, `CREATE ROLE owner LOGIN CREATEROLE PASSWORD '${PASSWORD}'`);
  const url = urlAs(server.url, 'owner');
  for (const service of SERVICES) {
    await administer({ url }, `CREATE ROLE ${service} LOGIN PASSWORD '${PASSWORD}'`);
    await administer({ url }, `GRANT ${service} TO CURRENT_USER`);
  }
}

async function ownDatabase(server: PostgresServer): Promise<string> {
  const { url } = await server.createDatabase();
  await administer(server, `ALTER DATABASE "${new URL(url).pathname.slice(1)}" OWNER TO owner`);
  return urlAs(url, 'owner');
}

function urlAs(url: string, username: string): string {
  return Object.assign(new URL(url), { username, password: PASSWORD }).href;
}

/** PostgreSQL copies a database that nobody is connected to. */
async function copyOf(server: PostgresServer, url: string): Promise<string> {
  const copy = new URL(url);
  const name = copy.pathname.slice(1);
  copy.pathname = `${name}_${randomUUID().slice(0, 8)}`;
  await administer(server, `CREATE DATABASE "${copy.pathname.slice(1)}" TEMPLATE "${name}" OWNER owner`);
  return copy.href;
}

async function administer(server: Pick<PostgresServer, 'url'>, statement: string): Promise<void> {
  const admin = new Database({ url: server.url, schema: 'public', maxConnections: 1 });
  try {
    await admin.rowsOnce(statement);
  } finally {
    await admin.close();
  }
}

async function fill(source: Side): Promise<void> {
  for (const name of ['one', 'two', 'three']) await source.put(name);
  await source.put('infrastructure', 'Infrastructure', source.database('cloud_mgmt'));
  await source.put('event', 'Event', source.database('cloud_mgmt_events')).catch(() => undefined);
  const secrets = await source.secrets();
  await secrets.put('infrastructure', 'terraform-state', Buffer.from('{"serial":1}'));
  await secrets.put('infrastructure', 'terraform-state', Buffer.from('{"serial":2}'));
  const database = source.database('cloud_mgmt');
  await database.execute(`INSERT INTO parents SELECT generate_series(1, 1000)`);
  await database.rowsOnce(
    `INSERT INTO a_children (parent, body, raw) SELECT id, jsonb_build_object('quote', '"\\,(' || id), decode('00ff', 'hex') FROM parents`,
  );
  await database.execute(`INSERT INTO a_children (parent, body) VALUES (1, 'null'::jsonb)`);
  await database.execute(`INSERT INTO terraform_runs VALUES ('done', 'succeeded')`);
}
