import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { refusal } from '../bootstrap/refusal.js';
import { cannotWrite } from '../output/out-file.js';
import { isRunning, startTimeOf } from '../up/run-file.js';
import { findText } from '../up/secret-file.js';
import { takeFile, type GiveBack, type TakenFile } from './take-file.js';

interface Holder {
  readonly pid: number;
  readonly startTime?: string;
}

/** Another one that takes over the same file is done with it much sooner. */
const ROUNDS = 100;
const ROUND_MS = 20;

/** Runs alone on a directory: the file names the process. Throws Conflict (`AlreadyRuns`), and BadRequest where it may not be written; a process that was killed is no obstacle. */
export async function onlyOne<T>(path: string, work: () => Promise<T>): Promise<T> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 }).catch(cannotWrite(path));
  const giveBack = await take(path).catch(cannotWrite(path));
  try {
    return await work();
  } finally {
    await giveBack();
  }
}

async function take(path: string): Promise<GiveBack> {
  const text = JSON.stringify({ pid: process.pid, startTime: startTimeOf(process.pid) });
  for (let round = 1; ; round += 1) {
    const giveBack = await takeFile(path, { text, isLeft });
    if (giveBack) return giveBack;
    const holder = runningIn(await findText(path));
    if (holder || round === ROUNDS) throw alreadyRuns(path, holder?.pid);
    await delay(ROUND_MS);
  }
}

/** What somebody else wrote for themselves may be of a process that runs. */
function isLeft({ text }: TakenFile): boolean {
  return text !== undefined && runningIn(text) === undefined;
}

/** Undefined when the process has ended, or when what is there names none. */
function runningIn(text: string | undefined): Holder | undefined {
  try {
    const holder = JSON.parse(text ?? '') as Holder;
    return typeof holder.pid === 'number' && isRunning(holder) ? holder : undefined;
  } catch {
    return undefined;
  }
}

function alreadyRuns(path: string, pid: number | undefined): Error {
  return refusal({
    reason: 'AlreadyRuns',
    message: `Process ${pid ?? 'of somebody'} works on ${dirname(path)} already`,
    remedy: 'Wait for its end; then run the command again',
  });
}
