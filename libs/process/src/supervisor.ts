import { spawn, type ChildProcess } from 'node:child_process';

/**
 * A shell of one process stands between us and the program; standard input is its leash:
 * the first line lets the program start, the end of input asks it to stop, once.
 *
 * NOTE: `PR_SET_PDEATHSIG` is no substitute. The kernel sends that signal again for every thread of the dying parent,
 * Node has many, and Terraform answers a second signal by quitting without saving what is in flight.
 * The end of input comes exactly once, also after SIGKILL of the parent, and on every Unix.
 */
const SUPERVISOR = `
IFS= read -r go || exit 125
exec 3<&0 </dev/null
trap : TERM INT HUP
"$@" 3<&- &
child=$!
( trap - TERM INT HUP; IFS= read -r end <&3; kill -s TERM "$child" ) >/dev/null 2>&1 &
watcher=$!
exec 3<&-
wait "$child"; code=$?
while [ "$code" -gt 128 ] && kill -0 "$child" 2>/dev/null; do wait "$child"; code=$?; done
kill -s KILL "$watcher" 2>/dev/null; wait "$watcher" 2>/dev/null
exit "$code"
`;

export interface SupervisedCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdoutFd: number;
  readonly stderrFd: number;
}

/** Starts the supervisor as leader of its own session and process group; the program waits for `letGo`. */
export function spawnSupervised(command: SupervisedCommand): ChildProcess {
  return spawn('/bin/sh', ['-c', SUPERVISOR, 'supervisor', command.command, ...command.args], {
    cwd: command.cwd,
    env: command.env,
    detached: true,
    stdio: ['pipe', command.stdoutFd, command.stderrFd],
  });
}

/** Lets the program start. */
export function letGo(child: ChildProcess): void {
  child.stdin?.write('\n');
}

/** Asks the program to stop (SIGTERM to it alone). Idempotent. */
export function askToStop(child: ChildProcess): void {
  child.stdin?.end();
}
