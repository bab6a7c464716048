import { randomBytes } from 'node:crypto';
import { chown, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { GuardedProcess, GuardedProcessOptions } from '@crate/local-servers';
import { postgresBinaries, postgresUser, type PostgresBinaries } from '@crate/local-servers';
import { eventually } from './eventually.js';
import { copyInitialized } from './postgres-template.js';
import { startAndWait, startOnFreePort } from './server.js';

export interface PostgresOptions {
  /** Whether commits reach the disk, as in production. Default false: data outlives a killed server, not the machine. */
  readonly durable?: boolean;
  /** Programs of another PostgreSQL than the one that comes with npm. */
  readonly binaries?: PostgresBinaries;
}

/** A database of a test. */
export interface TestDatabase {
  readonly url: string;
  /** Removes it, with open connections; idempotent. For suites that make many: a disk takes long to remove hundreds at the end. */
  drop(): Promise<void>;
}

/** Brings a new database to where tests begin, and leaves nobody connected to it. */
export type PrepareDatabase = (url: string) => Promise<unknown>;

/** A real PostgreSQL server on loopback. */
export interface PostgresServer {
  /** The maintenance database, of a superuser. */
  readonly url: string;
  readonly pid: number;
  /**
   * A database of its own: one server serves many tests. It is empty, or a copy of one that `prepare` had, which is called once for all
   * databases that are asked for with the same function.
   */
  createDatabase(prepare?: PrepareDatabase): Promise<TestDatabase>;
  /** Ends the server and removes its data; open connections break. Idempotent. */
  stop(): Promise<void>;
  /** Ends the server, also one that was killed, and starts it again on the same port with its data. */
  restart(): Promise<void>;
}

/** Starts PostgreSQL in a temporary directory, also for root. It ends with this process, however that ends. */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const user = await postgresUser();
  const binaries = options.binaries ?? (await postgresBinaries(user));
  const directory = await mkdtemp(join(tmpdir(), 'crate-postgres-'));
  if (user.uid !== undefined && user.gid !== undefined) await chown(directory, user.uid, user.gid);
  const data = join(directory, 'data');
  const password = await copyInitialized({ binaries, user }, data);

  const optionsFor = (port: number): GuardedProcessOptions => ({
    command: binaries.postgres,
    args: ['-D', data, '-p', String(port), ...settings(options.durable ?? false)],
    directory,
    removesDirectory: true,
    stopSignal: 'INT', // Fast shutdown: does not wait for clients.
    discardSignal: 'QUIT', // Immediate shutdown: writes no checkpoint of data that is thrown away.
    ...user,
  });
  const urlOf = (port: number): string => `postgresql://postgres:${password}@127.0.0.1:${port}/postgres`;
  const started = await startOnFreePort(optionsFor, (port) => query(urlOf(port), 'SELECT 1'));
  return new RunningPostgres(urlOf(started.port), started.process, optionsFor(started.port));
}

class RunningPostgres implements PostgresServer {
  private readonly prepared = new Map<PrepareDatabase, Promise<string>>();

  constructor(
    readonly url: string,
    private process: GuardedProcess,
    private readonly processOptions: GuardedProcessOptions,
  ) {}

  get pid(): number {
    return this.process.pid;
  }

  async createDatabase(prepare?: PrepareDatabase): Promise<TestDatabase> {
    const name = await this.create(prepare && (await this.templateOf(prepare)));
    return { url: this.urlOf(name), drop: () => query(this.url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
  }

  private templateOf(prepare: PrepareDatabase): Promise<string> {
    const made = this.prepared.get(prepare) ?? this.prepare(prepare);
    this.prepared.set(prepare, made);
    return made;
  }

  private async prepare(prepare: PrepareDatabase): Promise<string> {
    const name = await this.create();
    await prepare(this.urlOf(name));
    // A connection that was closed may not have ended yet, and nobody may be there while it is copied.
    await eventually(() => query(this.url, `ALTER DATABASE ${name} RENAME TO ${name}_made`));
    return `${name}_made`;
  }

  /** Gives its name. */
  private async create(template = 'template1'): Promise<string> {
    const name = `test_${randomBytes(6).toString('hex')}`;
    await query(this.url, `CREATE DATABASE ${name} TEMPLATE ${template}`);
    return name;
  }

  private urlOf(name: string): string {
    const url = new URL(this.url);
    url.pathname = name;
    return url.href;
  }

  async stop(): Promise<void> {
    await this.process.stop({ keepDirectory: false });
  }

  async restart(): Promise<void> {
    await this.process.stop({ keepDirectory: true });
    this.process = await startAndWait(this.processOptions, () => query(this.url, 'SELECT 1'));
  }
}

function settings(durable: boolean): string[] {
  const all = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '200',
    shared_buffers: '64MB',
    ...(durable ? {} : { fsync: 'off', full_page_writes: 'off' }),
  };
  return Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

async function query(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined); // The failure already rejected the call below.
  try {
    await client.connect();
    await client.query(sql);
  } finally {
    await client.end();
  }
}
