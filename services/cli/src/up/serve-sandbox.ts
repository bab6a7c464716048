import { unavailable } from '@crate/errors';
import { freePort } from '@crate/local-servers';
import { serverImages, writeLocalImages } from '@crate/sandbox';
import { writeRkeWrapper } from '@crate/sandbox/client';
import type { DataDir } from './data-dir.js';
import { lastWords } from './last-words.js';
import { answersOk } from './node-program.js';
import { claimRun, removeRunRecord, startTimeOf, writeRunRecord, type RunRecord } from './run-file.js';
import { sandboxProgram } from './sandbox-program.js';
import { serverPrograms } from './server-programs.js';
import { serviceImages } from './service-images.js';
import { Supervisor } from './supervisor.js';
import { waitUntil } from './wait.js';

const NAME = 'sandbox';
const READY_TIMEOUT_MS = 120_000;

export interface ServeSandboxOptions {
  readonly dir: DataDir;
  readonly port?: number;
  readonly searchPath: string;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

/** Runs a simulated cloud until the signal fires. Throws Conflict when something else runs on the directory. */
export async function serveSandbox(options: ServeSandboxOptions): Promise<void> {
  const { dir, signal, say } = options;
  const port = options.port ?? (await freePort());
  const sandboxUrl = `http://127.0.0.1:${port}`;
  const children = new Supervisor({ dir, say, onRestarted: () => undefined });
  const record = { ...recordOf(sandboxUrl), startedAt: new Date().toISOString() };
  await dir.prepare();
  await claimRun(dir, record);
  try {
    const rke = await writeRkeWrapper(dir.bin(), { nodeBinary: process.execPath, sandboxUrl });
    const servers = serverImages(await serverPrograms(options.searchPath));
    await writeLocalImages(dir.sandbox(), { ...servers, ...serviceImages({ sandboxUrl, rke }) });
    await children.startServer(NAME, sandboxProgram({ ...options, port }));
    await untilAnswering(dir, sandboxUrl, signal);
    const processes = { [NAME]: { pid: children.pids()[NAME] ?? 0 } };
    await writeRunRecord(dir, { ...record, readyAt: new Date().toISOString(), processes });
    say(`The simulated cloud is at ${sandboxUrl}`);
    await untilAborted(signal);
  } finally {
    await children.stop();
    await removeRunRecord(dir);
  }
}

function recordOf(sandboxUrl: string): Omit<RunRecord, 'startedAt'> {
  const startTime = startTimeOf(process.pid);
  return { pid: process.pid, ...(startTime === undefined ? {} : { startTime }), apiUrl: '', sandboxUrl, processes: {} };
}

async function untilAnswering(dir: DataDir, sandboxUrl: string, signal: AbortSignal): Promise<void> {
  const answers = await waitUntil(() => answersOk(`${sandboxUrl}/v1/latency`), READY_TIMEOUT_MS, signal);
  if (answers || signal.aborted) return;
  throw unavailable(`The simulated cloud does not answer: ${await lastWords(dir.log(NAME))} (see ${dir.log(NAME)})`);
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
