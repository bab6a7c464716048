import { execFile } from 'node:child_process';
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

async function userIds(): Promise<ServerUser> {
  const [uid, gid] = await Promise.all([run('id', ['-u', 'postgres']), run('id', ['-g', 'postgres'])]);
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
}
