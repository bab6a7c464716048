import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { conflict, unavailable, type PlatformError } from '@crate/errors';
import { takeFile, type TakenFile } from '../lock/take-file.js';
import { cannotRead } from '../output/in-file.js';
import type { DataDir } from './data-dir.js';
import { findText, replaceFile } from './secret-file.js';

/** Who runs on a data directory, as other commands find it. */
export interface RunRecord {
  readonly pid: number;
  /** Tells apart two processes of one id; undefined where the system does not say. */
  readonly startTime?: string;
  readonly startedAt: string;
  /** Of the programs that run; absent where an older one did not say. */
  readonly release?: string;
  /** Absent while the start is under way. */
  readonly readyAt?: string;
  /** Empty until programs are there, which may have to be downloaded, and ports are chosen. */
  readonly apiUrl: string;
  readonly sandboxUrl: string;
  readonly processes: Readonly<Record<string, RunningProcess>>;
}

/** A child of the platform; `pid` is 0 between two lives. */
export interface RunningProcess {
  readonly pid: number;
  /** As the one of the platform. */
  readonly startTime?: string;
  readonly healthUrl?: string;
}

const MODE = 0o600;

/**
 * Makes the directory ours before anything starts. Throws Conflict when it is somebody else's, who is alive.
 * Gives the processes of a platform that was killed on it, as far as they still end.
 */
export async function claimRun(dir: DataDir, record: RunRecord): Promise<readonly RunningProcess[]> {
  const left = Object.values((await readRecord(dir))?.processes ?? {});
  const isTaken = await takeFile(dir.runFile(), { text: format(record), isLeft });
  if (isTaken) return left.filter(isRunning);
  await refuseRunning(dir);
  throw conflict(`Somebody else starts Crate on ${dir.root} right now`);
}

/** One that this user may not read may be of a platform that runs. */
function isLeft({ text }: TakenFile): boolean {
  return text !== undefined && !isAlive(parse(text));
}

/** Throws Conflict, naming who runs and what to do, when the directory is in use. */
export async function refuseRunning(dir: DataDir): Promise<void> {
  const running = await findRunning(dir);
  if (running) throw inUse(dir, running);
}

/** Changes the record of the directory that is ours. */
export async function writeRunRecord(dir: DataDir, record: RunRecord): Promise<void> {
  await replaceFile(dir.runFile(), format(record), MODE);
}

export async function removeRunRecord(dir: DataDir): Promise<void> {
  await rm(dir.runFile(), { force: true });
}

/** The record of a platform that really runs; a stale or damaged one, left by a crash, counts as none. */
export async function findRunning(dir: DataDir): Promise<RunRecord | undefined> {
  const record = await readRecord(dir);
  return isAlive(record) ? record : undefined;
}

/** Whether one that starts is getting its programs: that takes as long as the line does, and ends by itself. */
export async function isGettingPrograms(dir: DataDir): Promise<boolean> {
  return (await findRunning(dir))?.apiUrl === '';
}

/** The record of a platform that really runs; throws Unavailable, saying how to start it, when none does. */
export async function getRunning(dir: DataDir): Promise<RunRecord> {
  const running = await findRunning(dir);
  if (!running) throw unavailable(`Nothing runs on ${dir.root}; start it with "crate up --data-dir ${dir.root}"`);
  return running;
}

/** True while the very process of the record is alive. */
export function isRunning(record: Pick<RunRecord, 'pid' | 'startTime'>): boolean {
  if (record.pid === 0) return false;
  try {
    process.kill(record.pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  return record.startTime === undefined || record.startTime === startTimeOf(record.pid);
}

/** When the process began, in ticks since boot (Linux); undefined elsewhere or when it is gone. */
export function startTimeOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may hold anything, so fields are counted from behind it: 3 is the state, 22 the start time.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A process that ended but that nobody waited for, as in containers without an init, still has an entry.
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

async function readRecord(dir: DataDir): Promise<RunRecord | undefined> {
  const { remedy } = dir;
  const text = await findText(dir.runFile()).catch(cannotRead(dir.runFile(), { remedy }));
  return text === undefined ? undefined : parse(text);
}

function parse(text: string): RunRecord | undefined {
  try {
    const record = JSON.parse(text) as Partial<RunRecord>;
    return typeof record.pid === 'number' ? (record as RunRecord) : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(record: RunRecord | undefined): record is RunRecord {
  return record !== undefined && isRunning(record);
}

function inUse(dir: DataDir, running: RunRecord): PlatformError {
  return conflict(
    `Crate already runs on ${dir.root} (process ${running.pid}, ${running.apiUrl || 'starting'}). ` +
      'Stop it with "crate down", or give another --data-dir and --port',
  );
}

function format(record: RunRecord): string {
  return `${JSON.stringify(record, undefined, 2)}\n`;
}
