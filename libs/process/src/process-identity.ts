import { createHash } from 'node:crypto';
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
  /** The same after a restart of the machine, and of no other one; absent where nothing tells, as in containers. */
  readonly machineId?: string;
}

const MACHINE_ID = '/etc/machine-id';

/** The identity of a living process; undefined when it has ended already. */
export async function identifyProcess(pid: number): Promise<ProcessIdentity | undefined> {
  const entry = await findProcess(pid);
  if (!entry) return undefined;
  const machineId = await readMachineId();
  return {
    ...{ pid, pgid: entry.pgid, startTime: entry.startTime, bootId: await readBootId(), host: hostname() },
    ...(machineId === undefined ? {} : { machineId }),
  };
}

/** Empty where the system does not tell. */
export async function readBootId(): Promise<string> {
  const text = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
  return text.trim();
}

/** Made of the id that systemd keeps, which itself is not to leave the machine; see machine-id(5). Undefined where there is none. */
export async function readMachineId(path: string = MACHINE_ID): Promise<string | undefined> {
  const id = (await readFile(path, 'utf8').catch(() => '')).trim();
  if (!/^[0-9a-f]{32}$/.test(id)) return undefined;
  return createHash('sha256').update(`crate.dev/machine ${id}`).digest('hex').slice(0, 32);
}
