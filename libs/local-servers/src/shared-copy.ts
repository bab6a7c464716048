import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ensureSharedState, requireEntry, SHARED_STATE, type ServerUser } from './server-user.js';

const run = promisify(execFile);

/**
 * Copies the server programs, once, to where the user may go, whatever the umask says and the programs were unpacked with; gives that place.
 * Throws, naming it, when the user may not go there all the same.
 */
export async function sharedCopy(native: string, user: ServerUser, shared = SHARED_STATE): Promise<string> {
  const { version } = JSON.parse(await readFile(join(native, '..', 'package.json'), 'utf8')) as { version: string };
  const target = join(await ensureSharedState(shared), `postgresql-${version}`);
  if (!existsSync(target)) await copyTo(target, native);
  await requireEntry(target, user);
  return target;
}

async function copyTo(target: string, native: string): Promise<void> {
  // A rename, so that whoever looks finds all of it or nothing.
  const draft = `${target}.${randomUUID()}`;
  await cp(native, draft, { recursive: true, verbatimSymlinks: true });
  // They stay ours: a server that was taken over must not write its own programs.
  await run('chmod', ['-R', 'a+rX', draft]);
  await rename(draft, target).catch(async (error: unknown) => {
    await rm(draft, { recursive: true });
    if (!existsSync(target)) throw error;
  });
}
