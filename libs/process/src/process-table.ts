import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A living process; zombies do not count. */
export interface ProcessEntry {
  readonly pid: number;
  readonly pgid: number;
  /** Opaque; with the pid it names one process for as long as the machine is up. */
  readonly startTime: string;
}

/** Every living process that this one may see. */
export async function listProcesses(): Promise<readonly ProcessEntry[]> {
  return existsSync('/proc/self/stat') ? listFromProc() : listFromPs();
}

/** Undefined when there is none, or only a zombie. */
export async function findProcess(pid: number): Promise<ProcessEntry | undefined> {
  if (existsSync('/proc/self/stat')) return readProcStat(String(pid));
  return (await listFromPs()).find((entry) => entry.pid === pid);
}

/** The program of a process and its arguments, as text; empty when there is none. */
export async function commandLineOf(pid: number): Promise<string> {
  if (!existsSync('/proc/self/stat'))
    return run('ps', ['-o', 'args=', '-p', String(pid)]).then(
      ({ stdout }) => stdout,
      () => '',
    );
  const text = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return text.replaceAll('\0', ' ');
}

async function listFromProc(): Promise<readonly ProcessEntry[]> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const entries = await Promise.all(names.map(readProcStat));
  return entries.filter((entry) => entry !== undefined);
}

/** Source: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html; the name in brackets may itself hold brackets. */
async function readProcStat(pid: string): Promise<ProcessEntry | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (stat === undefined) return undefined;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, , pgid] = fields;
  if (state === 'Z' || state === 'X') return undefined;
  return { pid: Number(pid), pgid: Number(pgid), startTime: fields[19] ?? '' };
}

async function listFromPs(): Promise<readonly ProcessEntry[]> {
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,pgid=,stat=,lstart=']);
  return stdout.split('\n').flatMap((line) => {
    const [, pid, pgid, state, startTime] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.+)$/.exec(line) ?? [];
    if (!pid || !state || state.startsWith('Z')) return [];
    return [{ pid: Number(pid), pgid: Number(pgid), startTime: startTime ?? '' }];
  });
}
