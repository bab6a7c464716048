import { existsSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { GuardedProcess, GuardedProcessOptions } from '@crate/local-servers';
import { isListening, startAndWait, startOnFreePort } from './server.js';

export interface NatsOptions {
  /** Text added to the server's configuration file, such as accounts and permissions. */
  readonly config?: string;
  /** Default false. */
  readonly jetStream?: boolean;
}

/** A real nats-server on loopback. */
export interface NatsServer {
  readonly url: string;
  readonly port: number;
  /** Changes with `restart`. */
  readonly pid: number;
  /** Ends the server and removes its files; idempotent. */
  stop(): Promise<void>;
  /** Ends the server, also one that was killed, and starts it again on the same port; JetStream data stays. */
  restart(): Promise<void>;
}

/** Starts nats-server from PATH (or /usr/sbin). It ends with this process, however that ends. */
export async function startNats(options: NatsOptions = {}): Promise<NatsServer> {
  const directory = await mkdtemp(join(tmpdir(), 'crate-nats-'));
  const command = findNatsServer();
  const configFile = join(directory, 'nats.conf');
  await writeFile(configFile, configText(options, directory));
  const optionsFor = (port: number): GuardedProcessOptions => ({
    command,
    args: ['--config', configFile, '--addr', '127.0.0.1', '--port', String(port)],
    directory,
    removesDirectory: true,
    stopSignal: 'TERM',
  });
  const started = await startOnFreePort(optionsFor);
  return new RunningNats(started.port, started.process, optionsFor(started.port));
}

class RunningNats implements NatsServer {
  readonly url: string;

  constructor(
    readonly port: number,
    private process: GuardedProcess,
    private readonly processOptions: GuardedProcessOptions,
  ) {
    this.url = `nats://127.0.0.1:${port}`;
  }

  get pid(): number {
    return this.process.pid;
  }

  async stop(): Promise<void> {
    await this.process.stop({ keepDirectory: false });
  }

  async restart(): Promise<void> {
    await this.process.stop({ keepDirectory: true });
    this.process = await startAndWait(this.processOptions, () => isListening(this.port));
  }
}

function configText(options: NatsOptions, directory: string): string {
  const jetStream = options.jetStream ? `jetstream { store_dir: ${JSON.stringify(join(directory, 'jetstream'))} }` : '';
  return [jetStream, options.config ?? ''].join('\n');
}

function findNatsServer(): string {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  const found = folders.map((folder) => join(folder, 'nats-server')).find((file) => existsSync(file));
  if (found === undefined) throw new Error('nats-server is not in PATH: install the package nats-server');
  return found;
}
