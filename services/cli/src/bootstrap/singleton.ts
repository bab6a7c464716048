import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { isPlatformError, unavailable } from '@crate/errors';
import { clientVersion } from '../config.js';
import { ApiClient } from '../client/api-client.js';
import { PivotSide } from '../pivot/pivot-side.js';
import { becomesReady } from '../up/becomes-ready.js';
import type { DataDir } from '../up/data-dir.js';
import { ownWords } from '../up/last-words.js';
import { findRunning, isGettingPrograms } from '../up/run-file.js';
import { waitUntil } from '../up/wait.js';
import { refusal } from './refusal.js';

const run = promisify(execFile);
const START_TIMEOUT_MS = 240_000;

export interface SingletonOptions {
  readonly dir: DataDir;
  /** For messages. */
  readonly name: string;
  /** Further arguments of `crate up`. */
  readonly upArguments: readonly string[];
  /** For one that somebody else starts, once its programs are there. Default 240 s. */
  readonly startTimeoutMs?: number;
}

/** A temporary platform on this machine: all services in one process, which goes on when whoever started it is gone. */
export class Singleton {
  readonly side: PivotSide;

  constructor(private readonly options: SingletonOptions) {
    this.side = PivotSide.of(options.name, options.dir.root);
  }

  get dir(): DataDir {
    return this.options.dir;
  }

  /**
   * Returns once its API answers: that of the one which runs there already, or of a new one. In the middle of a move, where it may not answer, once
   * its database does: the move ends with that alone. Throws Unavailable (`SingletonFailed`).
   */
  async ensure(): Promise<void> {
    if (await this.comesUp()) return;
    const { dir, upArguments } = this.options;
    const args = ['up', '--detach', '--no-example', '--all-in-one', '--data-dir', dir.root, ...upArguments];
    const command = [...process.execArgv, process.argv[1] ?? '', ...args];
    let isOver = false;
    // Gives up by itself, unless a move holds it.
    const started = run(process.execPath, command).finally(() => (isOver = true));
    // Whoever fails after the move held it has nothing to tell any more.
    started.catch(() => undefined);
    try {
      await Promise.race([started, waitUntil(async () => isOver || this.isHeld(), Infinity)]);
      // Where a move holds it, it may take longer: whoever ended it would take the database away that the move works with.
      if (isOver) await started;
    } catch (cause) {
      throw failed(dir, cause);
    }
  }

  api(): Promise<ApiClient> {
    return ApiClient.fromKubeconfig(this.options.dir.adminKubeconfig());
  }

  /** Stops it; its data stays. Idempotent. */
  async end(): Promise<void> {
    await this.side.end();
  }

  /** True once one that runs is as far as it gets; false when none runs. Throws Unavailable (`SingletonFailed`) when it does not get there. */
  private async comesUp(): Promise<boolean> {
    const { dir, startTimeoutMs = START_TIMEOUT_MS } = this.options;
    const isReady = async (): Promise<boolean> => (await findRunning(dir))?.readyAt !== undefined;
    if (await this.isOfAnotherRelease()) await this.end();
    if ((await findRunning(dir)) === undefined) return false;
    const isGone = async (): Promise<boolean> => (await findRunning(dir)) === undefined;
    const isUp = await becomesReady({
      probe: async () => (await isReady()) || (await isGone()) || this.isHeld(),
      restarts: () => 0,
      isHeld: async () => isGettingPrograms(dir),
      timeoutMs: startTimeoutMs,
    });
    if (await isGone()) return false;
    if (!isUp) throw failed(dir, unavailable(`The singleton is not ready after ${startTimeoutMs / 1000} s`));
    return true;
  }

  /** Nothing moves between that and a platform of this release. In the middle of a move both were of one, and it stays. */
  private async isOfAnotherRelease(): Promise<boolean> {
    const running = await findRunning(this.dir);
    if (!running || running.release === clientVersion()) return false;
    return (await this.side.findState()) === 'serving';
  }

  /** A move keeps it from acting, or has ended that for good. */
  private async isHeld(): Promise<boolean> {
    const state = await this.side.findState();
    return state === 'frozen' || state === 'moved' || state === 'receiving';
  }
}

function failed(dir: DataDir, cause: unknown): Error {
  const { stderr = '' } = cause as { stderr?: string };
  return refusal({
    reason: 'SingletonFailed',
    message: ownWords(stderr) || (isPlatformError(cause) ? cause.message : 'The singleton does not start'),
    remedy: `See ${dir.logs()}, and run the command again`,
    code: 'Unavailable',
    cause,
  });
}
