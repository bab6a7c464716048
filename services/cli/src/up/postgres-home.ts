import { createHash } from 'node:crypto';
import { chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureSharedState, mayEnter, requireEntry, type ServerUser } from '@crate/local-servers';
import type { DataDir } from './data-dir.js';

/**
 * The directory that PostgreSQL keeps its files in: inside the data directory, unless that lies where its user may not
 * go (a checkout below /root, say); then below /var/lib/crate, by a name that stays the same for the data directory.
 * Throws, naming it, when its user may not go there, either.
 */
export async function postgresHome(dir: DataDir, user: ServerUser): Promise<string> {
  if (user.uid === undefined || user.gid === undefined) return dir.postgres();
  await chown(dir.postgres(), user.uid, user.gid);
  if (await mayEnter(dir.postgres(), user)) return dir.postgres();

  const name = createHash('sha256').update(dir.root).digest('hex').slice(0, 16);
  const home = join(await ensureSharedState(), name);
  await mkdir(home, { recursive: true, mode: 0o755 });
  await chown(home, user.uid, user.gid);
  await requireEntry(home, user);
  return home;
}
