import { setTimeout as delay } from 'node:timers/promises';
import { conflict } from '@crate/errors';
import { takeFile, type GiveBack } from './take-file.js';

const RETRY_MS = 50;
const PATIENCE_MS = 45_000;
/** Whoever held it that long was killed: by age, since homes are shared by machines, and kubectl's locks name no process. */
const STALE_MS = 60_000;

/**
 * Runs alone among all processes that lock this file. The lock is `<path>.lock`, as kubectl makes one beside a kubeconfig.
 * Throws Conflict when somebody holds it for long.
 */
export async function withFileLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const giveBack = await take(`${path}.lock`);
  try {
    return await work();
  } finally {
    await giveBack();
  }
}

async function take(lock: string): Promise<GiveBack> {
  const giveUpAt = Date.now() + PATIENCE_MS;
  for (;;) {
    const giveBack = await takeFile(lock, { text: `${process.pid}\n`, isLeft: ({ ageMs }) => ageMs > STALE_MS });
    if (giveBack) return giveBack;
    if (Date.now() > giveUpAt) throw conflict(`${lock} is held by another process; remove it when there is none`);
    await delay(RETRY_MS * (0.5 + Math.random()));
  }
}
