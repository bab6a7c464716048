import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { access, lstat, mkdir, rmdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { PlatformError } from '@crate/errors';
import type { EngineRunRepository } from '../engine-run.repository.js';
import { listWorkspaces } from './rke-workspace.js';

/** A file system in memory: nothing of it outlives the machine, nor can be read off a disk. */
const MEMORY_FOLDER = '/dev/shm';

/**
 * Makes the folder that engine runs work in, readable by this user alone: in memory where the machine offers that,
 * else `fallback`. One installation always gets the same folder, another one never.
 * Throws Forbidden when somebody else owns it.
 */
export async function ensureWorkspaceRoot(fallback: string, memoryFolder = MEMORY_FOLDER): Promise<string> {
  const installation = createHash('sha256').update(resolve(fallback)).digest('hex').slice(0, 16);
  const hasMemory = await isWritable(memoryFolder);
  const root = hasMemory ? join(memoryFolder, `crate-${installation}`) : resolve(fallback);
  await mkdir(root, { recursive: true, mode: 0o700 });
  const { uid, mode } = await lstat(root).then((stats) => {
    if (!stats.isDirectory()) throw notOurs(root);
    return stats;
  });
  // The memory folder is open to everybody: a folder laid there by another user would let that user read keys.
  if (uid !== process.getuid?.() || (mode & 0o077) !== 0) throw notOurs(root);
  return root;
}

/** Removes the folders of runs that ended with their service. Those of open runs stay: they may hold state to be kept. */
export async function sweepWorkspaces(root: string, runs: EngineRunRepository): Promise<void> {
  const found = await listWorkspaces(root);
  // After the folders: another replica on this host opens the row of a run before it makes the folder.
  const open = await runs.openWorkspaces();
  for (const workspace of found) if (!open.includes(workspace.folder)) await workspace.remove();
}

/** Removes the folder itself when nothing is in it, so that a stopped installation leaves nothing in memory. */
export async function removeEmptyRoot(root: string): Promise<void> {
  // Not empty: another replica, or a run to be taken over.
  await rmdir(root).catch(() => undefined);
}

function notOurs(root: string): PlatformError {
  return new PlatformError('Forbidden', `The workspace folder ${root} must be a folder of this user alone (mode 0700)`);
}

async function isWritable(folder: string): Promise<boolean> {
  try {
    await access(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
