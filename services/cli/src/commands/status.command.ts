import { Command, Option } from 'commander';
import { readCliEnvironment } from '../config.js';
import { DataDir } from '../up/data-dir.js';
import { formatTable } from '../progress/table.js';
import { findRunning, type RunRecord } from '../up/run-file.js';

const PROBE_TIMEOUT_MS = 3_000;

interface ProcessStatus {
  readonly name: string;
  readonly pid: number;
  readonly ready: boolean | undefined;
}

/** `crate status`: what runs on a data directory. Exit code 3 when nothing does, 1 when something is not ready. */
export function statusCommand(): Command {
  return new Command('status')
    .description('Show what runs on a data directory (exit code 3: nothing, 1: something is not ready)')
    .option('--data-dir <dir>', 'where everything is kept', readCliEnvironment().dataDir)
    .addOption(new Option('-o, --output <format>', 'how to print it').choices(['table', 'json']).default('table'))
    .action(async (options: { readonly dataDir: string; readonly output: string }) => {
      const dir = new DataDir(options.dataDir);
      const running = await findRunning(dir);
      if (!running) {
        console.log(options.output === 'json' ? '{"running":false}' : `Nothing runs on ${dir.root}`);
        process.exitCode = 3;
        return;
      }
      const processes = await Promise.all(Object.entries(running.processes).map(probe));
      const isReady = running.readyAt !== undefined && processes.every((status) => status.ready !== false);
      if (!isReady) process.exitCode = 1;
      print(options.output, running, processes);
    });
}

async function probe([name, entry]: [string, RunRecord['processes'][string]]): Promise<ProcessStatus> {
  if (entry.healthUrl === undefined) return { name, pid: entry.pid, ready: undefined };
  try {
    const response = await fetch(`${entry.healthUrl}/readyz`, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
    return { name, pid: entry.pid, ready: response.ok };
  } catch {
    return { name, pid: entry.pid, ready: false };
  }
}

function print(format: string, running: RunRecord, processes: readonly ProcessStatus[]): void {
  if (format === 'json') {
    console.log(JSON.stringify({ running: true, ...running, processes }, undefined, 2));
    return;
  }
  const state = running.readyAt === undefined ? 'starting' : 'ready';
  console.log(`API ${running.apiUrl} (${state}), sandbox ${running.sandboxUrl}, since ${running.startedAt}\n`);
  const rows = processes.map(({ name, pid, ready }) => [name, String(pid), readyWord(ready)]);
  for (const line of formatTable(['NAME', 'PID', 'READY'], rows)) console.log(`  ${line}`);
}

function readyWord(ready: boolean | undefined): string {
  if (ready === undefined) return '-';
  return ready ? 'yes' : 'no';
}
