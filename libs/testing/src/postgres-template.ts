import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { chown, lstat, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { PostgresBinaries, ServerUser } from '@crate/local-servers';

const run = promisify(execFile);
const FLAGS = ['--username=postgres', '--auth=password', '--encoding=UTF8', '--locale=C'];

/** Whose PostgreSQL it is, and which. */
export interface PostgresPrograms {
  readonly binaries: PostgresBinaries;
  readonly user: ServerUser;
  /** Where what is copied is kept. Default: the temporary directory. */
  readonly templates?: string;
}

/**
 * Makes `data` a freshly initialised directory, and gives the superuser's password. `initdb` takes a second of a processor, so it runs
 * once for all suites of a machine, into the temporary directory; the others copy what it made, its password and system identifier too.
 */
export async function copyInitialized(programs: PostgresPrograms, data: string): Promise<string> {
  const template = await ensureTemplate(programs);
  // By the server's user, who has to own the copy.
  await run('cp', ['-Rp', join(template, 'data'), data], { cwd: template, ...programs.user });
  return readFile(join(template, 'password'), 'utf8');
}

async function ensureTemplate(programs: PostgresPrograms): Promise<string> {
  const template = await templatePath(programs);
  if (await isOurs(template, programs.user)) return template;
  const draft = await mkdtemp(`${template}-`);
  try {
    await initialize(programs, draft);
    // A rename, so that whoever looks finds all of it or nothing.
    await rename(draft, template);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (!(await isOurs(template, programs.user))) throw error; // Otherwise somebody else was quicker.
  }
  return template;
}

/** Another one for another PostgreSQL or user. */
async function templatePath({ binaries, user, templates = tmpdir() }: PostgresPrograms): Promise<string> {
  const { size, mtimeMs } = await stat(binaries.initdb);
  const what = [binaries.initdb, size, mtimeMs, uidOf(user), ...FLAGS];
  const digest = createHash('sha256').update(JSON.stringify(what)).digest('hex').slice(0, 16);
  return join(templates, `crate-postgres-template-${digest}`);
}

/** Whether it is there. Throws when others may have put it there: anybody may write to the temporary directory. */
async function isOurs(template: string, user: ServerUser): Promise<boolean> {
  const found = await lstat(template).catch(() => undefined);
  if (found && (!found.isDirectory() || found.uid !== uidOf(user)))
    throw new Error(`${template} belongs to somebody else: remove it`);
  return found !== undefined;
}

const uidOf = (user: ServerUser): number => user.uid ?? userInfo().uid;

async function initialize({ binaries, user }: PostgresPrograms, directory: string): Promise<void> {
  const passwordFile = join(directory, 'password');
  await writeFile(passwordFile, randomBytes(12).toString('hex'), { mode: 0o600 });
  for (const path of [directory, passwordFile])
    if (user.uid !== undefined && user.gid !== undefined) await chown(path, user.uid, user.gid);
  const args = [`--pgdata=${join(directory, 'data')}`, `--pwfile=${passwordFile}`, ...FLAGS];
  await run(binaries.initdb, args, { cwd: directory, ...user });
}
