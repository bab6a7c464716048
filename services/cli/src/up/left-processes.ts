import { unavailable } from '@crate/errors';
import { isRunning, type RunningProcess } from './run-file.js';
import { waitUntil } from './wait.js';

/** Longer than services and servers take to stop. */
const LEFT_TIMEOUT_MS = 45_000;

export interface LeftProcessesOptions {
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

/**
 * What was left by a platform that was killed ends by itself, but holds ports and files until then. Throws Unavailable, naming the
 * processes, when they do not, and the reason of `signal`.
 */
export async function untilEnded(
  left: readonly RunningProcess[],
  { say, signal }: LeftProcessesOptions,
): Promise<void> {
  if (left.length === 0) return;
  say('Waiting for the processes of a platform that was killed');
  const isOver = (): Promise<boolean> => Promise.resolve(!left.some(isRunning));
  if (await waitUntil(isOver, LEFT_TIMEOUT_MS, signal)) return;
  signal.throwIfAborted();
  const pids = left.filter(isRunning).map(({ pid }) => pid);
  throw unavailable(`Processes ${pids.join(', ')} of a platform that was killed do not end; end them and start again`);
}
