import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually, freePort, postgresBinaries, postgresUser } from '@crate/testing';
import pg from 'pg';
import { stated } from './backup-page.js';

const run = promisify(execFile);

/**
 * A base backup of a running PostgreSQL and an archive of everything that was written since, as docs/backup.md describes them for a
 * server without pg_basebackup. Source: https://www.postgresql.org/docs/current/continuous-archiving.html
 */
export class ArchivedBackup {
  private dataDirectory = '';
  private latest: ChildProcess | undefined;

  private constructor(
    private readonly folder: string,
    private readonly url: string,
  ) {}

  /** Switches archiving on; it begins with the next start of the server. */
  static async prepare(url: string): Promise<ArchivedBackup> {
    const backup = new ArchivedBackup(await mkdtemp(join(tmpdir(), 'crate-backup-')), url);
    await chmod(backup.folder, 0o755);
    // The server may run as another user.
    await mkdir(backup.archive);
    await chmod(backup.archive, 0o777);
    await backup.query(`ALTER SYSTEM SET archive_mode = 'on'`);
    const command = `test ! -f ${backup.archive}/%f && cp %p ${backup.archive}/%f`;
    await backup.query(`ALTER SYSTEM SET archive_command = '${command}'`);
    return backup;
  }

  /** The base, while everything goes on. */
  async take(): Promise<void> {
    const [found] = await this.query<{ data_directory: string }>('SHOW data_directory');
    this.dataDirectory = found?.data_directory ?? '';
    const client = new pg.Client({ connectionString: this.url });
    await client.connect();
    try {
      await client.query(`SELECT pg_backup_start('crate', true)`);
      // Files that change or vanish while they are copied are put right by the archive.
      await run('cp', ['-a', this.dataDirectory, this.base]).catch(() => undefined);
      const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(true)');
      await writeFile(join(this.base, 'backup_label'), rows[0]?.labelfile ?? '');
    } finally {
      await client.end();
    }
    await rm(join(this.base, 'postmaster.pid'), { force: true });
    await rm(join(this.base, 'pg_wal'), { recursive: true });
    await mkdir(join(this.base, 'pg_wal'), { mode: 0o700 });
  }

  /** The time of the database, to go back to. */
  async now(): Promise<string> {
    const [row] = await this.query<{ now: string }>('SELECT clock_timestamp()::text AS now');
    return row?.now ?? '';
  }

  /** Has everything that was written until now archived, as `archive_timeout` does after a while. */
  async flush(): Promise<void> {
    // A segment that nothing was written to is not archived.
    await this.query(`SELECT pg_logical_emit_message(true, 'crate', 'flush')`);
    const [row] = await this.query<{ file: string }>(
      'SELECT pg_walfile_name(pg_current_wal_lsn()) AS file, pg_switch_wal()',
    );
    await eventually(async () => run('test', ['-f', join(this.archive, row?.file ?? '')]));
  }

  /** To what was known at `time`. The server must not run; nothing of what it had is used. */
  async restore(time: string): Promise<void> {
    const owner = (await run('stat', ['-c', '%u:%g', this.dataDirectory])).stdout.trim();
    await rm(this.dataDirectory, { recursive: true });
    await run('cp', ['-a', this.base, this.dataDirectory]);
    const settings = (await this.stated(/^ *restore_command =[^`]*/m)).replace(
      /(?<=recovery_target_time = ').*(?=')/,
      time,
    );
    await appendFile(join(this.dataDirectory, 'postgresql.auto.conf'), settings);
    await writeFile(join(this.dataDirectory, 'recovery.signal'), '');
    await run('chown', ['-R', owner, this.dataDirectory]);
  }

  /** A second server beside the first, with everything that was ever archived. Gives its URL. */
  async openLatest(): Promise<string> {
    const copy = join(this.folder, 'latest');
    await run('cp', ['-a', this.base, copy]);
    await writeFile(join(copy, 'recovery.signal'), '');
    const user = await postgresUser();
    await run('chown', ['-R', `${user.uid ?? process.getuid?.()}:${user.gid ?? process.getgid?.()}`, copy]);
    const url = new URL(this.url);
    url.port = String(await freePort());
    const command = (await this.stated(/^ *postgres -D [^`]*/m))
      .replace('/backup/later', copy)
      .replace('5433', url.port);
    const program = command.replace('postgres', (await postgresBinaries(user)).postgres);
    this.latest = spawn('sh', ['-c', `exec ${program.trim()}`], { ...user, cwd: copy, stdio: 'ignore' });
    await eventually(() => query(url.href, 'CREATE TEMPORARY TABLE writable ()'), { timeoutMs: 60_000 });
    return url.href;
  }

  /** The timelines that servers began, as the archive has them. */
  async histories(): Promise<readonly string[]> {
    return (await readdir(this.archive)).filter((name) => name.endsWith('.history')).sort();
  }

  async remove(): Promise<void> {
    if (this.latest?.exitCode === null) {
      const ended = once(this.latest, 'exit');
      this.latest.kill('SIGINT');
      await ended;
    }
    await rm(this.folder, { recursive: true, force: true });
  }

  /** What the page says, with this archive in it. */
  private async stated(what: RegExp): Promise<string> {
    return (await stated(what)).replaceAll('/backup/wal', this.archive);
  }

  private get archive(): string {
    return join(this.folder, 'wal');
  }

  private get base(): string {
    return join(this.folder, 'base');
  }

  private query<T extends pg.QueryResultRow>(text: string): Promise<readonly T[]> {
    return query<T>(this.url, text);
  }
}

async function query<T extends pg.QueryResultRow>(url: string, text: string): Promise<readonly T[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<T>(text)).rows;
  } finally {
    await client.end();
  }
}
