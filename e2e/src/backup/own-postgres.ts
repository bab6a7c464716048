import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startPostgres, type PostgresServer } from '@crate/testing';
import { stated } from './backup-page.js';

const run = promisify(execFile);
const CLI = fileURLToPath(new URL('../../../services/cli/dist/main.js', import.meta.url));
/** Where Debian keeps each major version. */
const VERSIONS = '/usr/lib/postgresql';
const PROGRAMS = ['initdb', 'postgres', 'pg_dump', 'pg_dumpall', 'pg_restore', 'psql'];

/** The programs of the newest PostgreSQL of the system that has its clients, too; undefined where there is none. */
export function systemPostgres(): string | undefined {
  const versions = existsSync(VERSIONS) ? readdirSync(VERSIONS).sort((one, other) => Number(other) - Number(one)) : [];
  const folders = versions.map((version) => join(VERSIONS, version, 'bin'));
  return folders.find((folder) => PROGRAMS.every((name) => existsSync(join(folder, name))));
}

/** A PostgreSQL that operators run themselves, and its client programs, used as docs/backup.md says. */
export class OwnPostgres {
  private server: PostgresServer | undefined;
  private url = '';
  private dumpedPassword = '';

  private constructor(
    private readonly programs: string,
    private readonly folder: string,
  ) {}

  static async start(programs: string): Promise<OwnPostgres> {
    const own = new OwnPostgres(programs, await mkdtemp(join(tmpdir(), 'crate-own-postgres-')));
    await own.startAnew();
    return own;
  }

  /** For `crate up`. */
  get urlFile(): string {
    return join(this.folder, 'database-url');
  }

  /** A server that knows nothing, in place of the one before: without its data, its roles and its identity. */
  async startAnew(): Promise<void> {
    await this.server?.stop();
    const binaries = { initdb: this.program('initdb'), postgres: this.program('postgres') };
    this.server = await startPostgres({ binaries, durable: true });
    await this.keepUrl(this.server.url);
  }

  /** As clouds give one: who owns the database may create roles, and is no superuser. */
  async startAnewForAnOwner(): Promise<void> {
    await this.startAnew();
    const made = ["CREATE ROLE owner LOGIN CREATEROLE PASSWORD 'secret'", 'CREATE DATABASE crate OWNER owner'];
    await run(this.program('psql'), ['--quiet', ...made.flatMap((sql) => ['--command', sql]), this.url]);
    const owner = { username: 'owner', password: 'secret', pathname: '/crate' };
    await this.keepUrl(Object.assign(new URL(this.url), owner).href);
  }

  /** `crate recovery` of whoever has nothing of the platform but its database. Rejects when it fails. */
  async recovery(...args: readonly string[]): Promise<string> {
    const { stdout } = await run(process.execPath, [CLI, 'recovery', ...args, '--database-url-file', this.urlFile]);
    return stdout;
  }

  /** While everything goes on. */
  async dump(): Promise<void> {
    await run(this.program('pg_dump'), ['--format=custom', `--file=${this.dumpFile}`, this.url]);
    await run(this.program('pg_dumpall'), ['--roles-only', `--file=${this.rolesFile}`, `--dbname=${this.url}`]);
    this.dumpedPassword = new URL(this.url).password;
  }

  async restore(): Promise<void> {
    // The role that restores is there already, which psql says and goes on; it has the password of then from here on.
    await run(this.program('psql'), ['--quiet', `--file=${this.rolesFile}`, this.url]);
    await this.keepUrl(Object.assign(new URL(this.url), { password: this.dumpedPassword }).href);
    await this.load();
  }

  /** Without what tells passwords of roles. */
  async restoreAsOwner(): Promise<void> {
    const environment = `export PATH="${this.programs}:$PATH" DATABASE_URL='${this.url}'`;
    await run('sh', ['-e', '-c', `${environment}\n${await stated(/^ *for role in [^`]*/m)}`]);
    await this.load();
  }

  /** What was dumped, in the open. */
  async dumped(): Promise<string> {
    const text = join(this.folder, 'dump.sql');
    await run(this.program('pg_restore'), [`--file=${text}`, this.dumpFile]);
    return readFile(text, 'utf8');
  }

  async remove(): Promise<void> {
    await this.server?.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  private async load(): Promise<void> {
    await run(this.program('pg_restore'), ['--exit-on-error', `--dbname=${this.url}`, this.dumpFile]);
  }

  private async keepUrl(url: string): Promise<void> {
    this.url = url;
    await writeFile(this.urlFile, `${url}\n`, { mode: 0o600 });
  }

  private get dumpFile(): string {
    return join(this.folder, 'crate.dump');
  }

  private get rolesFile(): string {
    return join(this.folder, 'crate-roles.sql');
  }

  private program(name: string): string {
    return join(this.programs, name);
  }
}
