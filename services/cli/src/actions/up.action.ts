import { spawn } from 'node:child_process';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { PlatformError, type ErrorCode } from '@crate/errors';
import { readCliEnvironment } from '../config.js';
import { EXIT_CODES } from '../exit-codes.js';
import { Interrupted } from '../interruption.js';
import { cannotWrite } from '../output/out-file.js';
import type { PivotSide } from '../pivot/pivot-side.js';
import { becomesReady } from '../up/becomes-ready.js';
import { DataDir } from '../up/data-dir.js';
import { lastWords } from '../up/last-words.js';
import { findRunning, isGettingPrograms, refuseRunning, type RunRecord } from '../up/run-file.js';
import type { RunPlatformOptions } from '../up/run-platform.js';
import { builtConsoleDir } from '../up/services.js';
import { stopSignal } from '../up/stop-signal.js';

const DETACH_TIMEOUT_MS = 180_000;

/** What the end of the process in the background means: the same as in the foreground, and else that it did not start. */
const BY_EXIT_CODE: ReadonlyMap<number | null, ErrorCode> = new Map([
  [EXIT_CODES.usage, 'BadRequest'],
  [EXIT_CODES.refused, 'Conflict'],
]);

interface UpOptions extends RunPlatformOptions {
  readonly detach?: boolean;
}

export async function runUp(options: UpOptions): Promise<void> {
  if (options.detach) return detach(options);
  // Another process does it when this one is to return.
  const { runPlatform } = await import('../up/run-platform.js');
  return runPlatform(options, readCliEnvironment().searchPath);
}

/** Starts the same command in the background and waits until its API answers. */
async function detach(options: UpOptions): Promise<void> {
  const dir = new DataDir(options.dataDir);
  await refuseRunning(dir);
  await dir.prepare();
  const signal = stopSignal();
  const log = await open(dir.log('up'), 'w').catch(cannotWrite(dir.log('up'), { remedy: dir.remedy }));
  const args = [...process.execArgv, ...process.argv.slice(1).filter((argument) => argument !== '--detach')];
  const child = spawn(process.execPath, args, { detached: true, stdio: ['ignore', log.fd, log.fd] });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  await log.close();

  const hasExited = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const findReady = async (): Promise<RunRecord | undefined> => {
    const running = await findRunning(dir);
    return running?.pid === child.pid && running?.readyAt !== undefined ? running : undefined;
  };
  await becomesReady({
    probe: async () => hasExited() || (await findReady()) !== undefined,
    restarts: () => 0,
    isHeld: async () => (await isGettingPrograms(dir)) || (await sideOf(dir)).isHeld(),
    timeoutMs: DETACH_TIMEOUT_MS,
    signal,
  });
  const ready = await findReady();
  if (!ready || signal.aborted) {
    child.kill();
    await exited;
    if (signal.aborted) {
      const { by } = signal.reason as Interrupted;
      throw new Interrupted('Stopped before it was ready; the data is kept', { by });
    }
    const code = BY_EXIT_CODE.get(child.exitCode) ?? 'Unavailable';
    throw new PlatformError(code, `The platform did not start: ${await lastWords(dir.log('up'))}`);
  }
  child.unref();
  tellRunning(dir, ready, options);
}

function tellRunning(dir: DataDir, { pid, apiUrl }: RunRecord, { only }: UpOptions): void {
  const { program } = readCliEnvironment();
  console.log(`Crate runs in the background (process ${pid})`);
  if (only.length === 0) {
    console.log(`  database    by the URL in ${join(dir.service('postgres'), 'database-url')}`);
  } else {
    console.log(`  API         ${apiUrl}`);
    if (builtConsoleDir() !== undefined) {
      console.log(`  console     ${apiUrl}/console/ (${program} console --data-dir ${dir.root})`);
    }
    console.log(`  kubeconfig  ${dir.adminKubeconfig()}`);
  }
  console.log(`  stop it     ${program} down --data-dir ${dir.root}`);
}

async function sideOf(dir: DataDir): Promise<PivotSide> {
  return (await import('../pivot/pivot-side.js')).PivotSide.of('it', dir.root);
}
