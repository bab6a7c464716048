import { readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import type { DataDir } from './data-dir.js';
import { findText } from './secret-file.js';

/** Who runs on a data directory, as other commands find it. */
export interface RunRecord {
  readonly pid: number;
  /** Tells apart two processes of one id; undefined where the system does not say. */
  readonly startTime?: string;
  readonly startedAt: string;
  readonly apiUrl: string;
  readonly sandboxUrl: string;
  readonly processes: Readonly<Record<string, { readonly pid: number; readonly healthUrl?: string }>>;
}

export async function writeRunRecord(dir: DataDir, record: RunRecord): Promise<void> {
  await writeFile(dir.runFile(), `${JSON.stringify(record, undefined, 2)}\n`, { mode: 0o600 });
}

export async function removeRunRecord(dir: DataDir): Promise<void> {
  await rm(dir.runFile(), { force: true });
}

/** The record of a platform that really runs; a stale one, left by a crash, counts as none. */
export async function findRunning(dir: DataDir): Promise<RunRecord | undefined> {
  const text = await findText(dir.runFile());
  if (text === undefined) return undefined;
  const record = JSON.parse(text) as RunRecord;
  return isSameProcess(record) ? record : undefined;
}

/** When the process began, in ticks since boot (Linux); undefined elsewhere or when it is gone. */
export function startTimeOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may hold anything, so fields are counted from behind it; field 22 is the start time.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}

function isSameProcess(record: RunRecord): boolean {
  try {
    process.kill(record.pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  return record.startTime === undefined || record.startTime === startTimeOf(record.pid);
}
