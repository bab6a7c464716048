import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isRunning, startTimeOf } from '../up/run-file.js';
import { findText } from '../up/secret-file.js';
import { refusal } from './refusal.js';

/** Runs alone on a directory: the file names the process. Throws Conflict (`AlreadyRuns`); a process that was killed is no obstacle. */
export async function onlyOne<T>(path: string, work: () => Promise<T>): Promise<T> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await take(path);
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}

async function take(path: string): Promise<void> {
  const own = JSON.stringify({ pid: process.pid, startTime: startTimeOf(process.pid) });
  for (let round = 1; ; round += 1) {
    const isTaken = await writeFile(path, own, { flag: 'wx', mode: 0o600 }).then(
      () => true,
      (error: unknown) => rethrowUnless(error, 'EEXIST'),
    );
    if (isTaken) return;
    const holder = parse(await findText(path));
    if (round > 1 || (holder && isRunning(holder))) throw alreadyRuns(path, holder?.pid);
    await rm(path, { force: true });
  }
}

function rethrowUnless(error: unknown, code: string): false {
  if ((error as NodeJS.ErrnoException).code !== code) throw error;
  return false;
}

function parse(text: string | undefined): { readonly pid: number; readonly startTime?: string } | undefined {
  try {
    return JSON.parse(text ?? '') as { readonly pid: number };
  } catch {
    return undefined; // Written by somebody who was killed in between.
  }
}

function alreadyRuns(path: string, pid: number | undefined): Error {
  return refusal({
    reason: 'AlreadyRuns',
    message: `Process ${pid ?? 'of somebody'} works on ${dirname(path)} already`,
    remedy: 'Wait for its end; then run the command again',
  });
}
