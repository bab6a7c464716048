import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';

const run = promisify(execFile);

/**
 * A base backup of a running PostgreSQL by its low-level API, as docs/backup.md describes it for a server without pg_basebackup.
 * Source: https://www.postgresql.org/docs/current/continuous-archiving.html#BACKUP-LOWLEVEL-BASE-BACKUP
 */
export class BaseBackup {
  private constructor(
    private readonly copy: string,
    private readonly dataDirectory: string,
  ) {}

  static async take(url: string): Promise<BaseBackup> {
    const copy = await mkdtemp(join(tmpdir(), 'crate-backup-'));
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      const { rows: found } = await client.query<{ data_directory: string }>('SHOW data_directory');
      const dataDirectory = found[0]?.data_directory ?? '';
      await client.query(`SELECT pg_backup_start('crate', true)`);
      // Files that change or vanish while they are copied are put right by the log that is copied afterwards.
      await run('cp', ['-a', dataDirectory, join(copy, 'data')]).catch(() => undefined);
      const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)');
      await rm(join(copy, 'data', 'pg_wal'), { recursive: true });
      await run('cp', ['-a', join(dataDirectory, 'pg_wal'), join(copy, 'data', 'pg_wal')]);
      await writeFile(join(copy, 'data', 'backup_label'), rows[0]?.labelfile ?? '');
      await rm(join(copy, 'data', 'postmaster.pid'), { force: true });
      return new BaseBackup(copy, dataDirectory);
    } finally {
      await client.end();
    }
  }

  /** The server must not run. */
  async restore(): Promise<void> {
    const owner = (await run('stat', ['-c', '%u:%g', this.dataDirectory])).stdout.trim();
    await rm(this.dataDirectory, { recursive: true });
    await run('cp', ['-a', join(this.copy, 'data'), this.dataDirectory]);
    await run('chown', ['-R', owner, this.dataDirectory]);
  }

  async remove(): Promise<void> {
    await rm(this.copy, { recursive: true, force: true });
  }
}
