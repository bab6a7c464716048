import { execFile } from 'node:child_process';
import { chown, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  postgresBinaries,
  postgresUser,
  type GuardedProcessOptions,
  type PostgresBinaries,
  type ServerUser,
} from '@crate/local-servers';
import type { DataDir } from './data-dir.js';
import { postgresHome } from './postgres-home.js';
import { ensurePassword, findText, writeSecretFile } from './secret-file.js';

const run = promisify(execFile);

/** Owner of every database object; its password is in `<data>/postgres/password`. */
export const POSTGRES_USER = 'crate';

export interface LocalPostgres {
  readonly program: GuardedProcessOptions;
  /** Database `postgres`, with the password. */
  readonly url: string;
}

/** Makes the PostgreSQL that comes with npm ready to run on this data directory, with its cluster at the first start. */
export async function preparePostgres(dir: DataDir, port: number): Promise<LocalPostgres> {
  const user = await postgresUser();
  const binaries = await postgresBinaries(user);
  const password = await ensurePassword(join(dir.service('postgres'), 'password'));
  const home = await postgresHome(dir, user);
  await initialize(dir, { binaries, user, password, home });
  await removeStalePid(home);
  const program: GuardedProcessOptions = {
    command: binaries.postgres,
    args: ['-D', dataOf(home), '-p', String(port), ...SETTINGS],
    directory: home,
    stopSignal: 'INT', // Fast shutdown: does not wait for clients.
    logFile: join(home, 'postgres.log'),
    ...user,
  };
  return { program, url: `postgresql://${POSTGRES_USER}:${password}@127.0.0.1:${port}/postgres` };
}

const SETTINGS = Object.entries({
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '300',
  shared_buffers: '128MB',
  // The first change of a page after a checkpoint logs the whole page: every 20 s under load would triple what is written.
  max_wal_size: '2GB',
  checkpoint_timeout: '15min',
  log_min_messages: 'warning',
}).flatMap(([name, value]) => ['-c', `${name}=${value}`]);

function dataOf(home: string): string {
  return join(home, 'data');
}

interface Setup {
  readonly binaries: PostgresBinaries;
  readonly user: ServerUser;
  readonly password: string;
  readonly home: string;
}

async function initialize(dir: DataDir, { binaries, user, password, home }: Setup): Promise<void> {
  const done = join(dir.service('postgres'), 'initialized');
  if ((await findText(done)) !== undefined) return;
  // A first start that was killed half-way left a directory that initdb refuses.
  await rm(dataOf(home), { recursive: true, force: true });
  const passwordFile = join(home, 'init-password');
  await writeSecretFile(passwordFile, password);
  if (user.uid !== undefined && user.gid !== undefined) await chown(passwordFile, user.uid, user.gid);
  const flags = [`--username=${POSTGRES_USER}`, '--auth=scram-sha-256', '--encoding=UTF8', '--locale=C'];
  await run(binaries.initdb, [`--pgdata=${dataOf(home)}`, `--pwfile=${passwordFile}`, ...flags], {
    cwd: home,
    ...user,
  });
  await rm(passwordFile);
  await writeSecretFile(done, '');
}

/** A machine that lost power leaves a pid file naming a process id that now belongs to someone else. */
async function removeStalePid(home: string): Promise<void> {
  const file = join(dataOf(home), 'postmaster.pid');
  const text = await findText(file);
  if (text === undefined) return;
  const pid = Number(text.split('\n')[0]);
  const command = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '');
  if (!command.startsWith('postgres')) await rm(file);
}
