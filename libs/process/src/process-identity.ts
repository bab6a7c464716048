import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { findProcess } from './process-table.js';

/** Names a process group beyond the life of whoever started it; plain JSON, made to be stored. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly pgid: number;
  /** Opaque; tells the process from a later one with the same pid. */
  readonly startTime: string;
  /** Changes when the machine restarts; empty where the system has none. */
  readonly bootId: string;
  readonly host: string;
}

/** The identity of a living process; undefined when it has ended already. */
export async function identifyProcess(pid: number): Promise<ProcessIdentity | undefined> {
  const entry = await findProcess(pid);
  if (!entry) return undefined;
  return { pid, pgid: entry.pgid, startTime: entry.startTime, bootId: await readBootId(), host: hostname() };
}

/** Empty where the system does not tell. */
export async function readBootId(): Promise<string> {
  const text = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
  return text.trim();
}
