import { Command } from 'commander';
import { PLATFORM_STATUS_PATH, type PlatformStatus, type PlatformSummary } from '@crate/api';
import { DataDir } from '../up/data-dir.js';
import { EXIT_CODES } from '../exit-codes.js';
import { isReady, platformLines } from '../platform/platform-text.js';
import { formatTable } from '../progress/table.js';
import { findRunning, type RunRecord } from '../up/run-file.js';
import { apiOf } from './api-options.js';
import { dataDirOption } from './common-options.js';
import { formatOption, printAs, type OutputFormat } from '../output/print.js';

const PROBE_TIMEOUT_MS = 3_000;

interface ProcessStatus {
  readonly name: string;
  readonly pid: number;
  readonly ready: boolean | undefined;
}

interface StatusOptions {
  readonly dataDir: string;
  readonly remote?: boolean;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly output: OutputFormat;
}

/** `crate status`: what runs on a data directory, or how a platform elsewhere is. Exit code 3 when nothing does, 1 when something is not ready. */
export function statusCommand(): Command {
  return new Command('status')
    .description(
      'Show what runs on a data directory, or how a platform elsewhere is (exit code 3: nothing, 1: something is not ready)',
    )
    .addOption(dataDirOption('where everything is kept'))
    .option('--remote', 'ask the platform of the kubeconfig, wherever that runs, for its services and replicas')
    .option('--kubeconfig <file>', 'with --remote, which it implies; default: $KUBECONFIG, or ~/.kube/config')
    .option('--context <name>', 'with --remote, which it implies; default: the current one')
    .addOption(formatOption('table'))
    .action(async (options: StatusOptions) => {
      const { remote = false, kubeconfig, context } = options;
      const isElsewhere = remote || kubeconfig !== undefined || context !== undefined;
      return isElsewhere ? showPlatform(options) : showLocal(options);
    });
}

/** As the platform itself tells it. */
async function showPlatform({ kubeconfig, context, output }: StatusOptions): Promise<void> {
  const chosen = { ...(kubeconfig === undefined ? {} : { kubeconfig }), ...(context === undefined ? {} : { context }) };
  const api = await apiOf(chosen);
  const status = await api.get<PlatformStatus | PlatformSummary>(PLATFORM_STATUS_PATH);
  if (!isReady(status)) process.exitCode = EXIT_CODES.failed;
  printAs(output, status, () => platformLines(api.server, status));
}

async function showLocal({ dataDir, output }: StatusOptions): Promise<void> {
  const dir = new DataDir(dataDir);
  const running = await findRunning(dir);
  if (!running) {
    printAs(output, { running: false }, () => [`Nothing runs on ${dir.root}`]);
    process.exitCode = 3;
    return;
  }
  const processes = await Promise.all(Object.entries(running.processes).map(probe));
  const isUp = running.readyAt !== undefined && processes.every((status) => status.ready !== false);
  if (!isUp) process.exitCode = EXIT_CODES.failed;
  print(output, running, processes);
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

function print(format: OutputFormat, running: RunRecord, processes: readonly ProcessStatus[]): void {
  printAs(format, { running: true, ...running, processes }, () => linesOf(running, processes));
}

function linesOf(running: RunRecord, processes: readonly ProcessStatus[]): readonly string[] {
  const state = running.readyAt === undefined ? 'starting' : 'ready';
  const head = `API ${running.apiUrl} (${state}), sandbox ${running.sandboxUrl}, since ${running.startedAt}`;
  const rows = processes.map(({ name, pid, ready }) => [name, String(pid), readyWord(ready)]);
  return [head, '', ...formatTable(['NAME', 'PID', 'READY'], rows).map((line) => `  ${line}`)];
}

function readyWord(ready: boolean | undefined): string {
  if (ready === undefined) return '-';
  return ready ? 'yes' : 'no';
}
