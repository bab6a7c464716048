import { rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { eventually } from './eventually.js';
import { freePort } from '@crate/local-servers';
import { GuardedProcess, type GuardedProcessOptions } from '@crate/local-servers';

const ATTEMPTS = 3;
const START_TIMEOUT_MS = 60_000;

export interface StartedServer {
  readonly process: GuardedProcess;
  readonly port: number;
}

/**
 * Starts a server on a free loopback port and waits until `isReady`.
 * A port that was taken meanwhile makes the server exit; then another one is tried.
 */
export async function startOnFreePort(
  optionsFor: (port: number) => GuardedProcessOptions,
  isReady: (port: number) => Promise<unknown> = isListening,
): Promise<StartedServer> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    const options = optionsFor(port);
    try {
      return { port, process: await startAndWait(options, () => isReady(port)) };
    } catch (error) {
      if (attempt < ATTEMPTS) continue;
      await rm(options.directory, { recursive: true, force: true });
      throw error;
    }
  }
}

/** Starts a server and waits until `isReady` no longer throws. On failure the server is gone and its directory kept. */
export async function startAndWait(
  options: GuardedProcessOptions,
  isReady: () => Promise<unknown>,
): Promise<GuardedProcess> {
  const server = await GuardedProcess.start(options);
  let hasExited = false;
  void server.exited.then(() => (hasExited = true));
  try {
    await eventually(async () => hasExited || isReady(), { timeoutMs: START_TIMEOUT_MS });
    if (hasExited) throw new Error(`${options.command} ended: ${server.output}`);
    return server;
  } catch (error) {
    await server.stop({ keepDirectory: true });
    throw error;
  }
}

/** Resolves when something accepts TCP connections on the loopback port. */
export async function isListening(port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.destroy();
      resolve();
    });
  });
}
