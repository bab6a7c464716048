import { setTimeout as sleep } from 'node:timers/promises';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { providerService, toHandlers, type ProviderCalls } from './wire.js';

/** How long a running call may hold up the end of its server. */
const GRACE_MS = 2_000;

/** A provider that Terraform can be pointed at. */
export interface PluginServer {
  /** When the last call ended; undefined while one runs. */
  readonly idleSince: () => Date | undefined;
  /** Gives running calls a moment to end, then stops listening. */
  readonly close: () => Promise<void>;
}

/** Listens on a unix socket at `path`. A provider's configuration is the server's, so each run has a server of its own. */
export async function startPluginServer(path: string, calls: ProviderCalls): Promise<PluginServer> {
  const server = new Server({ 'grpc.max_receive_message_length': -1, 'grpc.max_send_message_length': -1 });
  let running = 0;
  let lastEnd = new Date();
  const observe = {
    started: (): void => {
      running += 1;
    },
    ended: (): void => {
      running -= 1;
      lastEnd = new Date();
    },
  };
  server.addService(providerService(), toHandlers(calls, observe));
  await bind(server, path);
  return {
    idleSince: () => (running > 0 ? undefined : lastEnd),
    close: () => shutDown(server, () => running > 0),
  };
}

async function bind(server: Server, path: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(`unix:${path}`, ServerCredentials.createInsecure(), (error) =>
      error ? reject(error) : resolve(),
    );
  });
}

async function shutDown(server: Server, isBusy: () => boolean): Promise<void> {
  // Terraform may leave its connection open for as long as it lives; only a running call is worth waiting for.
  if (isBusy()) {
    const ended = new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
    await Promise.race([ended, sleep(GRACE_MS, undefined, { ref: false })]);
  }
  server.forceShutdown();
}
