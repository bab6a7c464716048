import { chown, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postgresBinaries, postgresUser, type GuardedProcess, type GuardedProcessOptions } from '@crate/local-servers';
import pg from 'pg';
import { eventually } from '../eventually.js';
import { copyInitialized } from '../postgres-template.js';
import { startOnFreePort } from '../server.js';
import { FrontDoor } from './front-door.js';

const TIMEOUT_MS = 60_000;

/**
 * Commits wait until one of the others has them as well. Processes die here, not machines, so nothing waits for the disk. Followers look for the
 * first server where everybody does: at the front door.
 */
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '64MB',
  fsync: 'off',
  synchronous_commit: 'on',
  synchronous_standby_names: 'ANY 1 (*)',
  wal_keep_size: '1GB',
  wal_retrieve_retry_interval: '200ms',
};

interface Node {
  readonly process: GuardedProcess;
  readonly port: number;
}

/** Three PostgreSQL servers: one takes writes, two follow it, one of them synchronously. Patroni and CloudNativePG set up the same. */
export class PostgresCluster {
  private constructor(
    private readonly door: FrontDoor,
    private readonly password: string,
    private primary: Node,
    private followers: readonly Node[],
  ) {}

  /** They end with this process, however that ends. */
  static async start(): Promise<PostgresCluster> {
    const door = await FrontDoor.open();
    const started: Node[] = [];
    try {
      const first = await startNode(door.port);
      started.push(first);
      door.lead(first.port);
      for (let count = 0; count < 2; count += 1) started.push(await startNode(door.port, first.password));
      const cluster = new PostgresCluster(door, first.password, first, started.slice(1));
      await cluster.untilFollowed(2);
      return cluster;
    } catch (error) {
      await Promise.all(started.map(({ process }) => process.stop({ keepDirectory: false })));
      await door.close();
      throw error;
    }
  }

  /** Of whichever takes writes, as a superuser. */
  get url(): string {
    return this.urlOf(this.door.port);
  }

  /**
   * Kills the server that takes writes, and does what an operator's machinery does then: nobody reaches it any more, the one of the others that
   * has most takes its place, and the address leads there.
   */
  async losePrimary(): Promise<void> {
    const lost = this.primary;
    process.kill(lost.process.pid, 'SIGKILL');
    this.door.lead(undefined);
    await lost.process.exited;
    const heirs = await Promise.all(this.followers.map(async (node) => ({ node, has: await this.received(node) })));
    const [heir, ...others] = heirs.sort((one, other) => Number(other.has - one.has)).map(({ node }) => node);
    if (!heir) throw new Error('Nobody is left');
    await this.ask(heir, 'SELECT pg_promote(true, 60)');
    [this.primary, this.followers] = [heir, others];
    this.door.lead(heir.port);
    await this.untilFollowed(others.length);
    await lost.process.stop({ keepDirectory: false });
  }

  async stop(): Promise<void> {
    for (const { process } of [...this.followers, this.primary]) await process.stop({ keepDirectory: false });
    await this.door.close();
  }

  /** Everything that it was sent, once it gets nothing any more. */
  private async received(node: Node): Promise<bigint> {
    const isCutOff = async (): Promise<boolean> => {
      const [row] = await this.ask<{ open: number }>(node, 'SELECT count(*)::int AS open FROM pg_stat_wal_receiver');
      return row?.open === 0;
    };
    await eventually(isCutOff, { timeoutMs: TIMEOUT_MS });
    const [row] = await this.ask<{ bytes: string }>(node, `SELECT (pg_last_wal_receive_lsn() - '0/0')::text AS bytes`);
    return BigInt(row?.bytes ?? 0);
  }

  private async untilFollowed(count: number): Promise<void> {
    const isFollowed = async (): Promise<boolean> => {
      const [row] = await this.ask<{ now: number }>(
        this.primary,
        `SELECT count(*)::int AS now FROM pg_stat_replication WHERE state = 'streaming'`,
      );
      return row?.now === count;
    };
    await eventually(isFollowed, { timeoutMs: TIMEOUT_MS });
  }

  private async ask<R extends object>({ port }: Node, sql: string): Promise<readonly R[]> {
    const client = new pg.Client({ connectionString: this.urlOf(port) });
    client.on('error', () => undefined); // The failure rejects the call below.
    try {
      await client.connect();
      return (await client.query<R>(sql)).rows;
    } finally {
      await client.end();
    }
  }

  private urlOf(port: number): string {
    return `postgresql://postgres:${this.password}@127.0.0.1:${port}/postgres`;
  }
}

/** With the password of the first it follows whoever is behind the door; all are copies of one freshly initialised server. */
async function startNode(doorPort: number, password?: string): Promise<Node & { readonly password: string }> {
  const user = await postgresUser();
  const binaries = await postgresBinaries(user);
  const directory = await mkdtemp(join(tmpdir(), 'crate-postgres-node-'));
  if (user.uid !== undefined && user.gid !== undefined) await chown(directory, user.uid, user.gid);
  const data = join(directory, 'data');
  const own = await copyInitialized({ binaries, user }, data);
  const settings: Record<string, string> = {
    ...SETTINGS,
    primary_conninfo: `host=127.0.0.1 port=${doorPort} user=postgres password=${own}`,
  };
  if (password !== undefined) {
    const signal = join(data, 'standby.signal');
    await writeFile(signal, '');
    if (user.uid !== undefined && user.gid !== undefined) await chown(signal, user.uid, user.gid);
  }
  const optionsFor = (port: number): GuardedProcessOptions => ({
    command: binaries.postgres,
    args: [
      '-D',
      data,
      '-p',
      `${port}`,
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    directory,
    removesDirectory: true,
    stopSignal: 'INT',
    discardSignal: 'QUIT',
    ...user,
  });
  const isUp = async (port: number): Promise<void> => {
    const client = new pg.Client({ connectionString: `postgresql://postgres:${own}@127.0.0.1:${port}/postgres` });
    client.on('error', () => undefined);
    try {
      await client.connect();
    } finally {
      await client.end();
    }
  };
  return { ...(await startOnFreePort(optionsFor, isUp)), password: own };
}
