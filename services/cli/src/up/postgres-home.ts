import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { DataDir } from './data-dir.js';

const run = promisify(execFile);

/** Where the data goes of someone whose own directories the user `postgres` may not enter. */
const SHARED_STATE = '/var/lib/crate';

/** Ids that PostgreSQL runs under; empty when it runs as we do. */
export interface ServerUser {
  readonly uid?: number;
  readonly gid?: number;
}

/**
 * The directory that PostgreSQL keeps its files in: inside the data directory, unless that lies where its user may not
 * go (a checkout below /root, say); then below /var/lib/crate, by a name that stays the same for the data directory.
 */
export async function postgresHome(dir: DataDir, user: ServerUser): Promise<string> {
  if (user.uid === undefined || user.gid === undefined) return dir.postgres();
  const { uid, gid } = user;
  await chown(dir.postgres(), uid, gid);
  if (await canEnter(dir.postgres(), uid, gid)) return dir.postgres();

  const name = createHash('sha256').update(dir.root).digest('hex').slice(0, 16);
  const home = join(SHARED_STATE, name);
  await mkdir(home, { recursive: true, mode: 0o755 });
  await chown(home, uid, gid);
  return home;
}

async function canEnter(path: string, uid: number, gid: number): Promise<boolean> {
  try {
    await run('ls', [path], { uid, gid, cwd: '/' });
    return true;
  } catch {
    return false;
  }
}
