import { timeout } from '@crate/errors';
import { DataDir } from '../up/data-dir.js';
import { findRunning, isRunning } from '../up/run-file.js';
import { waitUntil } from '../up/wait.js';

const STOP_TIMEOUT_MS = 60_000;

export async function runDown(options: { readonly dataDir: string }): Promise<void> {
  const dir = new DataDir(options.dataDir);
  const running = await findRunning(dir);
  if (!running) {
    console.log(`Nothing runs on ${dir.root}`);
    return;
  }
  process.kill(running.pid, 'SIGTERM');
  const ended = await waitUntil(() => Promise.resolve(!isRunning(running)), STOP_TIMEOUT_MS);
  if (!ended) throw timeout(`Process ${running.pid} did not stop within ${STOP_TIMEOUT_MS / 1000} s`);
  console.log('Stopped; the data is kept');
}
