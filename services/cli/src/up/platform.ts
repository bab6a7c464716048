import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { timeout } from '@crate/errors';
import { GuardedProcess } from '@crate/local-servers';
import { writeRkeWrapper } from '@crate/sandbox';
import { ApiClient } from '../client/api-client.js';
import { natsServer, terraform } from '../prerequisites/programs.js';
import { obtain } from '../prerequisites/prerequisite.js';
import { ensureServerCertificate } from './certificates.js';
import { SupervisedChild } from './child-process.js';
import type { DataDir } from './data-dir.js';
import { renderKubeconfig } from './kubeconfig.js';
import { startLocalPostgres } from './postgres-server.js';
import { removeRunRecord, startTimeOf, writeRunRecord } from './run-file.js';
import { writeSecretFile } from './secret-file.js';
import {
  ADMIN,
  ensureServiceKeys,
  issueAdminToken,
  instancesOf,
  serviceEnvironment,
  writeNatsConfig,
  type LocalService,
  type PlatformContext,
  type ServiceInstance,
} from './services.js';
import { ensureSettings, type Settings } from './settings.js';
import { waitUntil } from './wait.js';

const READY_TIMEOUT_MS = 120_000;

export interface PlatformOptions {
  readonly dir: DataDir;
  readonly port?: number;
  /** Which services to run; the rest are expected to be run by someone else. */
  readonly services: readonly LocalService[];
  /** Processes of each service. */
  readonly replicas: number;
  /** Value of PATH for finding programs. */
  readonly searchPath: string;
  /** Gives up a start that is under way. */
  readonly signal: AbortSignal;
  /** Told what happens, one line at a time. */
  readonly say: (line: string) => void;
}

/** The whole platform on this computer: Postgres, NATS, the sandbox and the services, each a child process. */
export class LocalPlatform {
  private readonly children: { readonly name: string; readonly stop: () => Promise<void> }[] = [];
  private readonly supervised = new Map<string, SupervisedChild>();
  private servers: Readonly<Record<string, number>> = {};
  private settingsValue: Settings | undefined;

  constructor(private readonly options: PlatformOptions) {}

  get settings(): Settings {
    if (!this.settingsValue) throw new Error('The platform was not started');
    return this.settingsValue;
  }

  private get instances(): readonly ServiceInstance[] {
    return instancesOf(this.options.services, this.options.replicas);
  }

  get apiUrl(): string {
    return `https://127.0.0.1:${this.settings.apiPort}`;
  }

  get sandboxUrl(): string {
    return `http://127.0.0.1:${this.settings.sandboxPort}`;
  }

  /** Starts everything and returns when the API is ready. On failure whatever was started is stopped again. */
  async start(): Promise<void> {
    try {
      await this.startAll();
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** Stops everything in reverse order; data stays. Idempotent. */
  async stop(): Promise<void> {
    // Services end together, and before what they depend on.
    const services = [...this.supervised.values()];
    this.supervised.clear();
    await Promise.all(services.map((child) => child.stop()));
    while (this.children.length > 0) await this.children.pop()?.stop();
    await removeRunRecord(this.options.dir);
  }

  private async startAll(): Promise<void> {
    const { dir, port, say } = this.options;
    await dir.prepare();
    this.settingsValue = await ensureSettings(
      dir,
      this.instances.map(({ name }) => name),
      port,
    );
    const programs = await this.findPrograms();
    await ensureServiceKeys(dir);
    const certificate = await ensureServerCertificate(dir);
    await writeSecretFile(
      dir.adminKubeconfig(),
      renderKubeconfig({ server: this.apiUrl, ca: certificate.ca, token: issueAdminToken(dir), user: ADMIN }),
    );

    say('Starting PostgreSQL');
    const postgres = await startLocalPostgres(dir, this.settings.postgresPort);
    this.children.push({ name: 'postgres', stop: () => postgres.process.stop() });
    say('Starting NATS');
    const nats = await this.startNats(programs.nats);
    say('Starting the sandbox cloud');
    await this.startSandbox();

    const context: PlatformContext = {
      dir,
      settings: this.settings,
      certificate,
      databaseUrl: postgres.url,
      programs: { terraform: programs.terraform, searchPath: this.options.searchPath },
    };
    for (const instance of this.instances) {
      say(`Starting ${instance.name}`);
      await this.startService(instance, context);
    }
    this.servers = { postgres: postgres.process.pid, nats: nats.pid };
    await this.record();
    await this.waitUntilReady();
    await this.record();
  }

  private async findPrograms(): Promise<{ nats: string; terraform: string }> {
    const { dir, searchPath, say } = this.options;
    const options = { searchPath, binDirectory: dir.bin() };
    return { nats: await obtain(natsServer(options), say), terraform: await obtain(terraform(options), say) };
  }

  private async startNats(command: string): Promise<GuardedProcess> {
    const { dir } = this.options;
    const config = await writeNatsConfig(dir, this.settings.natsPort);
    const server = await GuardedProcess.start({
      command,
      args: ['--config', config],
      directory: dir.nats(),
      stopSignal: 'TERM',
      logFile: dir.log('nats'),
    });
    this.children.push({ name: 'nats', stop: () => server.stop() });
    return server;
  }

  private async startSandbox(): Promise<void> {
    const { dir, searchPath } = this.options;
    const entry = createRequire(import.meta.url)
      .resolve('@crate/sandbox')
      .replace(/index\.js$/, 'main.js');
    await writeRkeWrapper(dir.bin(), { nodeBinary: process.execPath, sandboxUrl: this.sandboxUrl });
    await this.supervise('sandbox', entry, {
      PATH: searchPath,
      CRATE_SANDBOX_DATA_DIR: dir.sandbox(),
      CRATE_SANDBOX_PORT: String(this.settings.sandboxPort),
    });
  }

  private async startService(instance: ServiceInstance, context: PlatformContext): Promise<void> {
    const entry = fileURLToPath(new URL(`../../../${instance.service}/dist/main.js`, import.meta.url));
    await this.supervise(instance.name, entry, await serviceEnvironment(instance, context));
  }

  private async supervise(name: string, entry: string, env: Record<string, string>): Promise<void> {
    const { dir, say } = this.options;
    const child = new SupervisedChild({
      name,
      command: process.execPath,
      args: ['--enable-source-maps', entry],
      directory: dir.root,
      stopSignal: 'TERM',
      env,
      logFile: dir.log(name),
      onRestart: (ended, afterMs) => say(`${ended} ended and starts again in ${afterMs} ms; see ${dir.log(ended)}`),
      onRestarted: () =>
        void this.record().catch((error: unknown) => say(`Cannot write ${dir.runFile()}: ${String(error)}`)),
    });
    await child.start();
    this.supervised.set(name, child);
  }

  private async waitUntilReady(): Promise<void> {
    for (const { name } of this.instances) {
      const url = `http://127.0.0.1:${this.settings.healthPorts[name]}/readyz`;
      const ready = await waitUntil(() => answersOk(url), READY_TIMEOUT_MS, this.options.signal);
      if (!ready) throw timeout(`${name} did not become ready; see ${this.options.dir.log(name)}`);
    }
    if (!this.options.services.includes('lifecycle')) return;
    const client = await ApiClient.fromKubeconfig(this.options.dir.adminKubeconfig());
    const ready = await waitUntil(() => client.isReady(), READY_TIMEOUT_MS, this.options.signal);
    if (!ready) throw timeout(`The API did not become ready; see ${this.options.dir.log('lifecycle')}`);
  }

  private async record(): Promise<void> {
    const healthUrl = (name: string): { healthUrl?: string } => {
      const port = this.settings.healthPorts[name];
      return port === undefined ? {} : { healthUrl: `http://127.0.0.1:${port}` };
    };
    const services = [...this.supervised].map(
      ([name, child]) => [name, { pid: child.pid ?? 0, ...healthUrl(name) }] as const,
    );
    const startTime = startTimeOf(process.pid);
    await writeRunRecord(this.options.dir, {
      pid: process.pid,
      ...(startTime === undefined ? {} : { startTime }),
      startedAt: new Date().toISOString(),
      apiUrl: this.apiUrl,
      sandboxUrl: this.sandboxUrl,
      processes: {
        ...Object.fromEntries(Object.entries(this.servers).map(([name, pid]) => [name, { pid }])),
        ...Object.fromEntries(services),
      },
    });
  }
}

async function answersOk(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(3_000) })).ok;
  } catch {
    return false;
  }
}
