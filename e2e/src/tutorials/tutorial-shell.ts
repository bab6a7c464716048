import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { ROOT } from '@crate/observability';
import type { Step } from './tutorial.js';

/** How a step went. */
export interface StepResult {
  readonly step: Step;
  readonly exitCode: number;
  /** Standard output and standard error, as a terminal has them. */
  readonly printed: string;
}

/** The first page starts a platform, and builds before what is not built yet. */
export const PAGE_TIMEOUT_MS = 480_000;
const SKIPPED = new Set(['.git', '.crate', 'tmp']);

/** A checkout of its own for the tutorials: the files of this one, and a data directory that nobody else has. */
export class TutorialShell {
  private constructor(
    private readonly directory: string,
    private readonly path: string,
  ) {}

  /** `path` is the PATH that programs are found on. */
  static async open(path: string): Promise<TutorialShell> {
    const directory = await mkdtemp(join(tmpdir(), 'crate-tutorials-'));
    for (const name of await readdir(ROOT)) {
      if (!SKIPPED.has(name)) await symlink(join(ROOT, name), join(directory, name));
    }
    return new TutorialShell(directory, path);
  }

  /**
   * Runs steps one after the other in one shell, so that variables are there for the next, and stops at the first that does
   * not end with its exit code. In a step a command that fails ends it, unless the step is meant to fail.
   */
  async run(steps: readonly Step[]): Promise<StepResult[]> {
    const scratch = await mkdtemp(join(tmpdir(), 'crate-steps-'));
    try {
      await Promise.all(steps.map(({ commands }, index) => writeFile(join(scratch, `${index}.sh`), commands)));
      await writeFile(join(scratch, 'page.sh'), scriptOf(steps, scratch));
      await this.bash(join(scratch, 'page.sh'));
      return await resultsIn(scratch, steps);
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  }

  /** Stops what the tutorials left running and removes everything. Idempotent. */
  async close(): Promise<void> {
    const crate = join(ROOT, 'services', 'cli', 'dist', 'main.js');
    const down = spawn(process.execPath, [crate, 'down'], { env: this.environment(), stdio: 'ignore' });
    await new Promise((resolve) => down.once('close', resolve));
    await rm(this.directory, { recursive: true, force: true });
  }

  /** Ends with the shell, together with whatever the page left in its background. */
  private async bash(script: string): Promise<void> {
    const options = { cwd: this.directory, env: this.environment(), stdio: 'ignore', detached: true } as const;
    const shell = spawn('bash', [script], options);
    const kill = (): void => endGroup(shell.pid);
    const timer = setTimeout(kill, PAGE_TIMEOUT_MS);
    await new Promise((resolve) => shell.once('exit', resolve));
    clearTimeout(timer);
    kill();
  }

  /** Of a person who has just opened a terminal; data and settings are in the checkout. */
  private environment(): Record<string, string> {
    const own = join(ROOT, 'node_modules', '.bin');
    return {
      PATH: this.path
        .split(delimiter)
        .filter((part) => part !== own)
        .join(delimiter),
      HOME: this.directory,
      LANG: 'C.UTF-8',
      CRATE_DATA_DIR: join(this.directory, '.crate'),
      // Whether there is a newer npm is told now and then, in the midst of what a command prints.
      npm_config_update_notifier: 'false',
    };
  }
}

function scriptOf(steps: readonly Step[], scratch: string): string {
  return steps
    .map(({ exitCode }, index) => {
      const mode = exitCode === 0 ? 'set -e' : 'set +e';
      return [
        `echo interrupted > ${scratch}/${index}.code; trap 'echo $? > ${scratch}/${index}.code' EXIT`,
        `${mode}; . ${scratch}/${index}.sh > ${scratch}/${index}.out 2>&1 < /dev/null; code=$?; set +e`,
        `echo $code > ${scratch}/${index}.code; [ $code = ${exitCode} ] || { trap - EXIT; exit 1; }`,
      ].join('\n');
    })
    .concat('trap - EXIT')
    .join('\n');
}

async function resultsIn(scratch: string, steps: readonly Step[]): Promise<StepResult[]> {
  const results: StepResult[] = [];
  for (const [index, step] of steps.entries()) {
    const code = await readFile(join(scratch, `${index}.code`), 'utf8').catch(() => undefined);
    if (code === undefined) break;
    results.push({ step, exitCode: Number(code), printed: await readFile(join(scratch, `${index}.out`), 'utf8') });
  }
  return results;
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // Nothing is left of it.
  }
}
