import { readdir, readFile } from 'node:fs/promises';

/** What a process (with its children) has used since it started, and holds now. */
export interface Usage {
  readonly cpuSeconds: number;
  readonly rssMiB: number;
  /** Part of `cpuSeconds`: what processes used that it had started and that have ended, theirs included. */
  readonly endedChildrenSeconds: number;
}

const TICKS_PER_SECOND = 100;
const PAGES_PER_MIB = 256;

/**
 * Fields behind the name, which may hold spaces: utime, stime, and cutime and cstime, which hold the time of children that have ended.
 * Source: proc_pid_stat(5), where utime is field 14.
 */
const FIELD = { parent: 1, ownTicks: [11, 12], childTicks: [13, 14] } as const;

interface Stat {
  readonly pid: number;
  readonly parent: number;
  readonly cpuSeconds: number;
  readonly endedChildrenSeconds: number;
  /** Of this process alone. */
  readonly privateMiB: number;
  /** Mapped by others too, such as PostgreSQL's buffers: counted once for a family. */
  readonly sharedMiB: number;
}

/**
 * Usage of each named process together with its children, those that have ended included, as PostgreSQL's work is done by them.
 * Empty where there is no /proc.
 */
export async function usageOf(pids: Readonly<Record<string, number>>): Promise<Readonly<Record<string, Usage>>> {
  const all = await statsOfAll();
  const sums = Object.entries(pids).map(([name, pid]): [string, Usage] => {
    const family = all.filter((stat) => stat.pid === pid || stat.parent === pid);
    const sum = (field: 'cpuSeconds' | 'privateMiB'): number => family.reduce((total, stat) => total + stat[field], 0);
    const { endedChildrenSeconds = 0 } = family.find((stat) => stat.pid === pid) ?? {};
    const sharedMiB = Math.max(0, ...family.map((stat) => stat.sharedMiB));
    return [name, { cpuSeconds: sum('cpuSeconds'), rssMiB: sum('privateMiB') + sharedMiB, endedChildrenSeconds }];
  });
  return all.length === 0 ? {} : Object.fromEntries(sums);
}

async function statsOfAll(): Promise<readonly Stat[]> {
  const names = await readdir('/proc').catch(() => []);
  const stats = await Promise.all(names.filter((name) => /^\d+$/.test(name)).map(statOf));
  return stats.filter((stat) => stat !== undefined);
}

/** Undefined when the process ended meanwhile. */
async function statOf(pid: string): Promise<Stat | undefined> {
  try {
    const files = [`/proc/${pid}/stat`, `/proc/${pid}/statm`];
    const [stat = '', statm = ''] = await Promise.all(files.map((file) => readFile(file, 'utf8')));
    return parseStat(Number(pid), stat, statm);
  } catch {
    return undefined;
  }
}

/** Reads `/proc/<pid>/stat` and `statm`. */
export function parseStat(pid: number, stat: string, statm: string): Stat {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const number = (index: number): number => Number(fields[index]);
  const seconds = (ticks: readonly number[]): number =>
    ticks.reduce((sum, index) => sum + number(index), 0) / TICKS_PER_SECOND;
  const endedChildrenSeconds = seconds(FIELD.childTicks);
  const [, resident = 0, shared = 0] = statm.split(' ').map(Number);
  return {
    pid,
    parent: number(FIELD.parent),
    cpuSeconds: seconds(FIELD.ownTicks) + endedChildrenSeconds,
    endedChildrenSeconds,
    privateMiB: (resident - shared) / PAGES_PER_MIB,
    sharedMiB: shared / PAGES_PER_MIB,
  };
}
