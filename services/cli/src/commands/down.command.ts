import { Command } from 'commander';
import { timeout } from '@crate/errors';
import { DataDir } from '../up/data-dir.js';
import { findRunning, isRunning } from '../up/run-file.js';
import { waitUntil } from '../up/wait.js';
import { dataDirOption } from './common-options.js';

const STOP_TIMEOUT_MS = 60_000;

/** `crate down`: stops a platform that runs on the data directory; nothing running is fine, too. */
export function downCommand(): Command {
  return new Command('down')
    .description('Stop the platform that runs on a data directory; the data is kept')
    .addOption(dataDirOption('where everything is kept'))
    .action(async (options: { readonly dataDir: string }) => {
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
    });
}
