import { open, rm, stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { conflict } from '@crate/errors';

const RETRY_MS = 50;
const PATIENCE_MS = 45_000;
/** Whoever held it that long was killed. */
const STALE_MS = 60_000;

/**
 * Runs alone among all processes that lock this file. The lock is `<path>.lock`, as kubectl makes one beside a kubeconfig.
 * Throws Conflict when somebody holds it for long.
 */
export async function withFileLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const lock = `${path}.lock`;
  const giveUpAt = Date.now() + PATIENCE_MS;
  while (!(await take(lock))) {
    if (Date.now() > giveUpAt) throw conflict(`${lock} is held by another process; remove it when there is none`);
    await delay(RETRY_MS * (0.5 + Math.random()));
  }
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}

async function take(lock: string): Promise<boolean> {
  try {
    await (await open(lock, 'wx', 0o600)).close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const held = await stat(lock).catch(() => undefined);
  if (held && Date.now() - held.mtimeMs > STALE_MS) await rm(lock, { force: true });
  return false;
}
