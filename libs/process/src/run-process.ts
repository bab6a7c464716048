import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { notFound, unavailable } from '@crate/errors';
import { findExecutable } from './find-executable.js';
import { LineSplitter } from './line-splitter.js';
import { OutputFile } from './output-file.js';
import { endProcessGroup, signalGroup, waitForGroup } from './process-group.js';
import { identifyProcess, type ProcessIdentity } from './process-identity.js';
import { createRedactor } from './redactor.js';
import { askToStop, letGo, spawnLeashed } from './leash.js';

const POLL_MS = 50;
/** The watcher of the leash needs a moment to end. */
const STRAGGLER_MS = 200;
const DEFAULT_GRACE_MS = 30_000;
const DEFAULT_MAX_LINE_LENGTH = 64 * 1024;

export type OutputStream = 'stdout' | 'stderr';

export interface ProcessOptions {
  /** A path, or a name looked up in `env.PATH`. */
  readonly command: string;
  /** Seen by every user of the machine: never a secret. */
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** Each line of output, redacted. */
  readonly onLine?: (stream: OutputStream, line: string) => void;
  /** Awaited before the program makes its first step; a rejection keeps it from starting. */
  readonly onStart?: (identity: ProcessIdentity) => Promise<void> | void;
  /** Texts that no line may show. */
  readonly redact?: readonly string[];
  /** Asks the program to stop after this time. Default: never. */
  readonly timeoutMs?: number;
  /** From asking to stop until SIGKILL of the group. Default 30,000. */
  readonly graceMs?: number;
  /** Asks the program to stop; one that was not let go yet does not begin. */
  readonly signal?: AbortSignal;
  /** Characters; what a line has beyond is dropped, and it says how many. Default 65,536. */
  readonly maxLineLength?: number;
}

/** Of `exitCode` and `signal` one says how it ended; neither is judged. */
export interface ProcessResult {
  /** Undefined when a signal ended it. */
  readonly exitCode: number | undefined;
  readonly signal: NodeJS.Signals | undefined;
  readonly durationMs: number;
  /** Why we asked it to stop; undefined when it ended by itself. */
  readonly stoppedBy: 'timeout' | 'abort' | undefined;
}

interface ExitState {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/**
 * Runs a program to its end in its own process group. It is asked to stop (SIGTERM, then SIGKILL to the group after the grace time)
 * by `signal`, by `timeoutMs`, and by the death of this process, however that came about.
 * Throws NotFound when the program does not exist, Unavailable when it cannot be started. An exit code is no error.
 */
export async function runProcess(options: ProcessOptions): Promise<ProcessResult> {
  const command = await findExecutable(options.command, options.env['PATH'] ?? '');
  if (command === undefined) throw notFound('Program', options.command);
  const stdout = await OutputFile.open();
  const stderr = await OutputFile.open();
  try {
    return await runWith(options, command, { stdout, stderr });
  } finally {
    await Promise.all([stdout.close(), stderr.close()]);
  }
}

async function runWith(
  options: ProcessOptions,
  command: string,
  files: Record<OutputStream, OutputFile>,
): Promise<ProcessResult> {
  const startedAt = performance.now();
  const { args, cwd, env } = options;
  const child = spawnLeashed({ command, args, cwd, env, stdoutFd: files.stdout.fd, stderrFd: files.stderr.fd });
  const exited = exitOf(child);
  const identity = await start(child, exited, options);
  const stopper = new Stopper(child, identity, options);
  try {
    const exit = await pump(exited, options, files);
    askToStop(child);
    if ((await waitForGroup(identity, STRAGGLER_MS)) === 'alive') {
      await endProcessGroup(identity, options.graceMs ?? DEFAULT_GRACE_MS);
    }
    const durationMs = performance.now() - startedAt;
    return {
      exitCode: exit.code ?? undefined,
      signal: exit.signal ?? undefined,
      durationMs,
      stoppedBy: stopper.reason,
    };
  } finally {
    stopper.close();
  }
}

async function start(
  child: ChildProcess,
  exited: Promise<ExitState>,
  options: ProcessOptions,
): Promise<ProcessIdentity> {
  try {
    // Rejects with the reason when the shell itself could not be started.
    const identity = await Promise.race([
      ...(child.pid === undefined ? [] : [identifyProcess(child.pid)]),
      exited.then(() => undefined),
    ]);
    if (!identity) throw unavailable(`Program ${options.command} ended before it was started`);
    await options.onStart?.(identity);
    // One that is to stop already does not begin: until it listens, it would do what it is for.
    if (!options.signal?.aborted) letGo(child);
    return identity;
  } catch (error) {
    askToStop(child);
    await exited.catch(() => undefined);
    throw error;
  }
}

function exitOf(child: ChildProcess): Promise<ExitState> {
  const exited = new Promise<ExitState>((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) =>
      reject(unavailable(`Program cannot be started: ${error.code ?? error.message}`, error)),
    );
    child.once('exit', (code, signal) => resolve({ code, signal }));
    // The leash breaks when the program is killed; its exit tells the rest.
    child.stdin?.on('error', () => undefined);
  });
  // It may reject before anybody awaits it.
  exited.catch(() => undefined);
  return exited;
}

/** Hands lines over until the program has ended and everything it wrote is read. */
async function pump(
  exited: Promise<ExitState>,
  options: ProcessOptions,
  files: Record<OutputStream, OutputFile>,
): Promise<ExitState> {
  const redactor = createRedactor(options.redact ?? []);
  const maxLength = options.maxLineLength ?? DEFAULT_MAX_LINE_LENGTH;
  const streams = (['stdout', 'stderr'] as const).map((name) => ({
    file: files[name],
    splitter: new LineSplitter((line) => options.onLine?.(name, line), redactor, maxLength),
  }));
  let exit: ExitState | undefined;
  while (exit === undefined) {
    exit = await Promise.race([exited, sleep(POLL_MS, undefined)]);
    for (const { file, splitter } of streams) {
      for await (const chunk of file.read()) splitter.push(chunk);
    }
  }
  for (const { splitter } of streams) splitter.end();
  return exit;
}

/** Asks the program to stop for the first reason that comes, and kills its group after the grace time. */
class Stopper {
  reason: ProcessResult['stoppedBy'];
  private readonly timers: NodeJS.Timeout[] = [];
  private readonly onAbort = (): void => this.stop('abort');

  constructor(
    private readonly child: ChildProcess,
    private readonly identity: ProcessIdentity,
    private readonly options: ProcessOptions,
  ) {
    if (options.timeoutMs !== undefined) this.timers.push(setTimeout(() => this.stop('timeout'), options.timeoutMs));
    options.signal?.addEventListener('abort', this.onAbort, { once: true });
    if (options.signal?.aborted) this.onAbort();
  }

  close(): void {
    for (const timer of this.timers) clearTimeout(timer);
    this.options.signal?.removeEventListener('abort', this.onAbort);
  }

  private stop(reason: 'timeout' | 'abort'): void {
    if (this.reason !== undefined) return;
    this.reason = reason;
    askToStop(this.child);
    const kill = (): void => signalGroup(this.identity.pgid, 'SIGKILL');
    this.timers.push(setTimeout(kill, this.options.graceMs ?? DEFAULT_GRACE_MS));
  }
}
