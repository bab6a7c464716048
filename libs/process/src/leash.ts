import { spawn, type ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { commandLineOf, listProcesses } from './process-table.js';

/** What the shell, and the watcher that it leaves, are called in lists of processes. */
const NAME = 'leash';

/**
 * A shell that becomes the program; its standard input is a leash: the first line lets the program start, the end of input
 * makes a watcher beside the program send it SIGTERM, once.
 *
 * NOTE: `PR_SET_PDEATHSIG` is no substitute. The kernel sends that signal again for every thread of the dying parent,
 * Node has many, and Terraform answers a second signal by quitting without saving what is in flight.
 * The end of input comes exactly once, also after SIGKILL of the parent, and on every Unix.
 */
const LEASH = `
IFS= read -r go || exit 125
exec 3<&0 </dev/null
( IFS= read -r end <&3; kill -s TERM $$ ) >/dev/null 2>&1 &
exec "$@" 3<&-
`;

/** Added to the nice value of this process (POSIX). What programs do is waited for by the minute, what services do, such as to renew a lease, by the second. */
const NICENESS = 5;
const NICEST = 19;

export interface LeashedCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdoutFd: number;
  readonly stderrFd: number;
}

/** Starts the shell as leader of its own session and process group; the program waits for `letGo`. */
export function spawnLeashed(command: LeashedCommand): ChildProcess {
  const child = spawn('/bin/sh', ['-c', LEASH, NAME, command.command, ...command.args], {
    cwd: command.cwd,
    env: command.env,
    detached: true,
    stdio: ['pipe', command.stdoutFd, command.stderrFd],
  });
  if (child.pid !== undefined) putBehindServices(child.pid);
  return child;
}

/** No more than a wish: a system may know neither. */
function putBehindServices(pid: number): void {
  try {
    setPriority(pid, Math.min(getPriority() + NICENESS, NICEST));
    // Linux may share processors out by session first, and ours is of its own (sched(7), "The autogroup feature").
    writeFileSync(`/proc/${pid}/autogroup`, String(NICENESS));
  } catch {
    // It runs as everything else does.
  }
}

/** Lets the program start. */
export function letGo(child: ChildProcess): void {
  child.stdin?.write('\n');
}

/** Asks the program to stop (SIGTERM to it alone); the watcher ends with it. Idempotent. */
export function askToStop(child: ChildProcess): void {
  child.stdin?.end();
}

/** The pid of the watcher of this group; undefined when it has asked the program to stop already. */
export async function findWatcher(pgid: number): Promise<number | undefined> {
  for (const { pid, pgid: of } of await listProcesses())
    if (of === pgid && pid !== pgid && isLeash(await commandLineOf(pid))) return pid;
  return undefined;
}

function isLeash(commandLine: string): boolean {
  return commandLine.startsWith('/bin/sh -c ') && commandLine.includes(` ${NAME} `);
}
