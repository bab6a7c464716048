import { execFile } from 'node:child_process';
import { chmod, mkdir } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Ids that PostgreSQL runs under; empty when it runs as we do. */
export interface ServerUser {
  readonly uid?: number;
  readonly gid?: number;
}

/** Where things go that another user must reach although our own directories are closed to it. */
export const SHARED_STATE = '/var/lib/crate';

/** Postgres refuses to run as root; then it runs as the user `postgres`, made when missing. */
export async function postgresUser(): Promise<ServerUser> {
  if (userInfo().uid !== 0) return {};
  try {
    return await userIds();
  } catch {
    await run('useradd', ['--system', '--user-group', '--no-create-home', 'postgres']);
    return userIds();
  }
}

/** Whether the user may look into the directory: every directory above it counts. */
export async function mayEnter(directory: string, user: ServerUser): Promise<boolean> {
  if (user.uid === undefined) return true;
  try {
    await run('ls', [directory], { ...user, cwd: '/' });
    return true;
  } catch {
    return false;
  }
}

/** Refuses a directory that the user may not look into, by name: its server would only say that something is denied. */
export async function requireEntry(directory: string, user: ServerUser): Promise<void> {
  if (await mayEnter(directory, user)) return;
  const remedy = 'let others pass through each directory above it (chmod o+x), and look into it (chmod o+rx)';
  throw new Error(`The user that PostgreSQL runs as may not enter ${directory}: ${remedy}`);
}

/** Makes the directory that `SHARED_STATE` is, open whatever the umask says. One that is there stays as somebody made it. */
export async function ensureSharedState(directory = SHARED_STATE): Promise<string> {
  const isMade = (await mkdir(directory, { recursive: true })) !== undefined;
  if (isMade) await chmod(directory, 0o755);
  return directory;
}

async function userIds(): Promise<ServerUser> {
  const [uid, gid] = await Promise.all([run('id', ['-u', 'postgres']), run('id', ['-g', 'postgres'])]);
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
}
