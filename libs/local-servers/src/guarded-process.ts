import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';

/** `uid` and `gid` are for a process of root, and for servers that refuse it. */
export interface GuardedProcessOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** Where it runs. */
  readonly directory: string;
  /** Removes `directory` when the process is stopped for good, or when this process dies. Default false. */
  readonly removesDirectory?: boolean;
  readonly stopSignal: 'INT' | 'TERM';
  /** In place of `stopSignal` when `directory` is removed with it: there is nothing to be saved any more. */
  readonly discardSignal?: 'QUIT';
  /** The whole environment. Default: this process's own. */
  readonly env?: Readonly<Record<string, string>>;
  readonly uid?: number;
  readonly gid?: number;
  /** Everything the process writes is appended here; default: only the last lines are kept, in `output`. */
  readonly logFile?: string;
  /** How long after `stopSignal` it is killed. Default 30,000. */
  readonly killAfterMs?: number;
}

const KILL_AFTER_MS = 30_000;
const GRACE_STEP_MS = 50;

/**
 * The shell between us and the server. Its stdin is a pipe that only we hold open: however we end, even by SIGKILL,
 * the read returns, and the shell stops the server and removes its directory. "keep" on that pipe spares the directory.
 * Writing to us when we are gone must not end the shell, hence the trap, set after the server got its own signals.
 */
const GUARD = `
signal=$1 discard=$2 grace=$3 directory=$4 log=$5; shift 5
exec 3<&0
if test -n "$log"; then "$@" 3<&- </dev/null >>"$log" 2>&1 & else "$@" 3<&- </dev/null >&2 & fi
child=$!
trap '' PIPE
echo "$child"
(
  read -r word <&3
  test "$word" = keep || signal=$discard
  kill -s "$signal" "$child" 2>/dev/null
  while kill -0 "$child" 2>/dev/null; do
    test "$grace" -gt 0 || kill -s KILL "$child" 2>/dev/null
    grace=$((grace - 1))
    sleep ${GRACE_STEP_MS / 1000}
  done
  test "$word" != keep
) &
reader=$!
wait "$child" 2>/dev/null
echo exited 2>/dev/null
wait "$reader" && test -n "$directory" && rm -rf "$directory"
exit 0
`;

const KEPT_LOG_CHARACTERS = 4_000;

/** A server that does not outlive the process that started it. */
export class GuardedProcess {
  private log = '';

  private constructor(
    private readonly guard: ChildProcess,
    /** Process id of the server itself. */
    readonly pid: number,
    /** Resolves when the server is gone, for whatever reason. */
    readonly exited: Promise<void>,
  ) {
    guard.stderr?.on('data', (chunk: Buffer) => {
      this.log = (this.log + chunk.toString()).slice(-KEPT_LOG_CHARACTERS);
    });
  }

  /** Resolves once the process runs; whether it is ready is for the caller to find out. */
  static async start(options: GuardedProcessOptions): Promise<GuardedProcess> {
    const { command, args, directory, env, uid, gid } = options;
    const guard = spawn('sh', ['-c', GUARD, 'guard', ...guardArguments(options), command, ...args], {
      cwd: directory,
      // A session of its own: Ctrl-C in the terminal reaches us only, and the guard then ends the server in order.
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
      ...(env === undefined ? {} : { env }),
      ...(uid === undefined ? {} : { uid }),
      ...(gid === undefined ? {} : { gid }),
    });
    // The guard may be gone when we end its input; its exit tells.
    guard.stdin.on('error', () => undefined);
    const lines = createInterface({ input: guard.stdout });
    // Both lines may come in one piece, so the second one is awaited before the first one is.
    const exited = new Promise<void>((resolve) => {
      lines.on('line', (line) => line === 'exited' && resolve());
      guard.once('exit', () => resolve());
    });
    const pid = await new Promise<number>((resolve, reject) => {
      guard.once('error', reject);
      guard.once('exit', () => reject(new Error(`${command} was not started`)));
      lines.once('line', (line) => resolve(Number(line)));
    });
    // A guard that was itself killed cannot end its server any more.
    guard.once('exit', (_code, signal) => signal !== null && kill(pid));
    return new GuardedProcess(guard, pid, exited);
  }

  /** The last lines the server wrote; empty when it writes to a log file. */
  get output(): string {
    return this.log;
  }

  /** Stops the server and waits for its end; idempotent. */
  async stop(options: { readonly keepDirectory: boolean } = { keepDirectory: true }): Promise<void> {
    if (this.guard.exitCode !== null || this.guard.signalCode !== null) return;
    const ended = new Promise<void>((resolve) => this.guard.once('exit', () => resolve()));
    this.guard.stdin?.end(options.keepDirectory ? 'keep\n' : '');
    await ended;
  }
}

function guardArguments(options: GuardedProcessOptions): readonly string[] {
  const { stopSignal, killAfterMs = KILL_AFTER_MS, removesDirectory, directory, logFile = '' } = options;
  const steps = String(Math.ceil(killAfterMs / GRACE_STEP_MS));
  if (!removesDirectory) return [stopSignal, stopSignal, steps, '', logFile];
  return [stopSignal, options.discardSignal ?? stopSignal, steps, directory, logFile];
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It is gone already.
  }
}
