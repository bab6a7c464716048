import { execFile, spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const TIMEOUT_MS = 120_000;

/** How a command of the CLI ended. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the built CLI to its end; in this process's environment unless another one is given. */
export async function crate(args: readonly string[], env?: NodeJS.ProcessEnv): Promise<Ended> {
  const options = { timeout: TIMEOUT_MS, ...(env ? { env } : {}) };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [MAIN, ...args], options, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    );
  });
}

/** A command of the CLI that runs until it is stopped. */
export class RunningCrate {
  stdout = '';
  /** Resolves with the exit code; -1 when it was killed. */
  readonly ended: Promise<number>;

  private constructor(readonly process: ChildProcess) {
    process.stdout?.on('data', (chunk: Buffer) => (this.stdout += chunk.toString()));
    this.ended = new Promise((resolve) => process.once('exit', (code) => resolve(code ?? -1)));
  }

  /** In this process's environment unless another one is given. */
  static start(args: readonly string[], env?: NodeJS.ProcessEnv): RunningCrate {
    const options: SpawnOptions = { stdio: ['ignore', 'pipe', 'inherit'], ...(env ? { env } : {}) };
    return new RunningCrate(spawn(process.execPath, [MAIN, ...args], options));
  }

  get pid(): number {
    return this.process.pid ?? 0;
  }
}

/** Ids of all processes, besides this one, whose command line or environment names the directory (Linux). */
export function processesNaming(directory: string): readonly number[] {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  return pids.filter(
    (pid) => pid !== process.pid && [`cmdline`, `environ`].some((file) => names(pid, file, directory)),
  );
}

function names(pid: number, file: string, directory: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8').includes(directory);
  } catch {
    return false; // Gone meanwhile, or somebody else's.
  }
}
