import type { PlatformStatus, PlatformSummary } from '@crate/api';
import { PLATFORM_STATUS_PATH } from '../commands/api-values.js';
import { DataDir } from '../up/data-dir.js';
import { EXIT_CODES } from '../exit-codes.js';
import { isReady, platformLines } from '../platform/platform-text.js';
import { formatTable } from '../progress/table.js';
import { findRunning, type RunRecord } from '../up/run-file.js';
import { apiOf } from '../client/context.js';
import { printAs, type OutputFormat } from '../output/print.js';

const PROBE_TIMEOUT_MS = 3_000;

interface ProcessStatus {
  readonly name: string;
  readonly pid: number;
  readonly ready: boolean | undefined;
}

type UpgradeStatus = PlatformStatus['upgrade'];

interface StatusOptions {
  readonly dataDir: string;
  readonly remote?: boolean;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly output: OutputFormat;
}

export async function runStatus(options: StatusOptions): Promise<void> {
  const { remote = false, kubeconfig, context } = options;
  const isElsewhere = remote || kubeconfig !== undefined || context !== undefined;
  return isElsewhere ? showPlatform(options) : showLocal(options);
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
  const upgrade = isUp ? await findUpgrade(dataDir) : undefined;
  const known = upgrade?.available ? { upgrade } : {};
  printAs(output, { running: true, ...running, processes, ...known }, () => [
    ...linesOf(running, processes),
    ...(upgrade?.available ? ['', upgradeLine(upgrade, dir.root)] : []),
  ]);
}

/** As the platform knows it; undefined when it does not say so at once: how it runs is told all the same. */
async function findUpgrade(dataDir: string): Promise<UpgradeStatus | undefined> {
  try {
    const api = (await apiOf({ dataDir })).with({ timeoutMs: PROBE_TIMEOUT_MS });
    const status = await api.get<Partial<PlatformStatus>>(PLATFORM_STATUS_PATH);
    return status.upgrade;
  } catch {
    return undefined;
  }
}

function upgradeLine({ message }: UpgradeStatus, root: string): string {
  return `${message}; see what it leads to with: crate platform upgrade --plan --data-dir ${root}`;
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
