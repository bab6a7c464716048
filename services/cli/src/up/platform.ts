import { unavailable } from '@crate/errors';
import { writeRkeWrapper } from '@crate/sandbox/client';
import { ApiClient } from '../client/api-client.js';
import { PivotSide } from '../pivot/pivot-side.js';
import { natsServer, terraform } from '../prerequisites/programs.js';
import { obtain } from '../prerequisites/prerequisite.js';
import { AdminAccess } from './admin-access.js';
import { ALL_IN_ONE, allInOneProgram } from './all-in-one.js';
import { becomesReady } from './becomes-ready.js';
import { LocalComponents } from './components/local-components.js';
import type { DataDir } from './data-dir.js';
import { lastWords } from './last-words.js';
import { untilEnded } from './left-processes.js';
import { answersOk } from './node-program.js';
import { preparePostgres, type LocalPostgres } from './postgres-server.js';
import { RunRecorder, type RunFacts } from './run-recorder.js';
import { sandboxProgram } from './sandbox-program.js';
import { ensureServiceDatabases } from './service-databases.js';
import {
  builtConsoleDir,
  ensureServiceKeys,
  extraInstanceOf,
  instancesOf,
  writeNatsConfig,
  type PlatformContext,
  type ServiceInstance,
} from './services.js';
import { SERVICE_ORDER, type LocalService } from './service-order.js';
import { ensureSettings, type Settings } from './settings.js';
import { Supervisor } from './supervisor.js';

const READY_TIMEOUT_MS = 120_000;

export interface PlatformOptions {
  readonly dir: DataDir;
  readonly port?: number;
  /** Which services to run; the rest are expected to be run by someone else. None: the servers alone. */
  readonly services: readonly LocalService[];
  /** A PostgreSQL of the operator's own, as a user who may create roles; absent: the one that comes with npm, a child process. */
  readonly databaseUrl?: string | undefined;
  /** YAML file that lists OpenID Connect issuers; absent: the local issuer alone. */
  readonly issuersFile?: string | undefined;
  /** Environment variables of every service, over those chosen here. */
  readonly serviceSettings: Readonly<Record<string, string>>;
  /** Processes of each service. */
  readonly replicas: number;
  /** All services in one process; there is one replica of each then. */
  readonly isAllInOne?: boolean;
  /** Simulated cloud that runs already, and goes on when this platform ends; absent: one of its own. */
  readonly sandboxUrl?: string | undefined;
  /** False: there is no cloud, not even a simulated one. */
  readonly hasSandbox: boolean;
  /** Value of PATH for finding programs. */
  readonly searchPath: string;
  /** Gives up a start that is under way. */
  readonly signal: AbortSignal;
  /** Told what happens, one line at a time. */
  readonly say: (line: string) => void;
}

interface MadeForServices extends Pick<PlatformContext, 'certificate' | 'databaseUrls'> {
  readonly terraform: string;
}

/** The whole platform on this computer: Postgres, NATS, the sandbox and the services, each a child process. */
export class LocalPlatform {
  private readonly children: Supervisor;
  private readonly recorder: RunRecorder;
  private readonly access: AdminAccess;
  private settingsValue: Settings | undefined;
  private components: LocalComponents | undefined;

  constructor(private readonly options: PlatformOptions) {
    const { dir, say } = options;
    this.children = new Supervisor({ dir, say, onRestarted: () => void this.recorder.record() });
    this.recorder = new RunRecorder(dir, () => this.facts(), say);
    this.access = new AdminAccess(dir, say);
  }

  get settings(): Settings {
    if (!this.settingsValue) throw new Error('The platform was not started');
    return this.settingsValue;
  }

  get apiUrl(): string {
    return `https://127.0.0.1:${this.settings.apiPort}`;
  }

  get sandboxUrl(): string {
    return this.options.sandboxUrl ?? `http://127.0.0.1:${this.settings.sandboxPort}`;
  }

  private get instances(): readonly ServiceInstance[] {
    return instancesOf(this.options.services, this.options.replicas);
  }

  /**
   * Starts everything and returns when the API is ready. On failure whatever was started is stopped again.
   * Throws Conflict, touching nothing, when another platform runs on the data directory.
   */
  async start(): Promise<void> {
    const { dir, signal } = this.options;
    await dir.prepare();
    const left = await this.recorder.claim();
    try {
      await untilEnded(left, this.options);
      await this.startAll();
      signal.throwIfAborted();
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** Stops everything in reverse order; data stays. Idempotent. */
  async stop(): Promise<void> {
    await this.access.stop();
    await this.components?.stop();
    await this.children.stop();
    await this.recorder.remove();
  }

  private async startAll(): Promise<void> {
    this.settingsValue = await this.chooseSettings();
    const programs = await this.findPrograms();
    // From here on it takes no longer than it should: whoever waits for it reads that there are addresses.
    await this.recorder.record();
    await ensureServiceKeys(this.options.dir);
    const certificate = await this.access.write(this.apiUrl);
    this.access.keep(this.apiUrl);
    const databaseUrls = await this.startServers(programs.nats);
    await this.startServices(this.contextOf({ certificate, databaseUrls, terraform: programs.terraform }));
    await this.recorder.record();
    await this.waitUntilReady();
    await this.recorder.recordReady();
    this.components?.start();
  }

  private async chooseSettings(): Promise<Settings> {
    const { dir, port, services, replicas } = this.options;
    const extra = services.map((service) => extraInstanceOf(service, replicas));
    const names = [...this.instances, ...extra].map(({ name }) => name);
    return ensureSettings(dir, names, port);
  }

  private async findPrograms(): Promise<{ nats: string; terraform: string }> {
    const { dir, searchPath, hasSandbox } = this.options;
    const options = { searchPath, binDirectory: dir.bin() };
    const nats = await obtain(natsServer(options), this.options);
    return { nats, terraform: hasSandbox ? await obtain(terraform(options), this.options) : '' };
  }

  /** Gives the URL of each service's database. */
  private async startServers(nats: string): Promise<ReadonlyMap<string, string>> {
    const { dir, signal } = this.options;
    // The first start makes the database, which takes as long as the others need to come up.
    const database = this.prepareDatabase();
    const others = this.startOtherServers(nats);
    // Whichever fails, the other is not left at work: what was started by then is what is stopped.
    await Promise.allSettled([database, others]);
    await others;
    const { program, url } = await database;
    signal.throwIfAborted();
    if (program) await this.children.startServer('postgres', program);
    return ensureServiceDatabases({ dir, ownerUrl: url, services: SERVICE_ORDER, signal });
  }

  /** Without a program where the database is the operator's. */
  private async prepareDatabase(): Promise<Pick<LocalPostgres, 'url'> & Partial<LocalPostgres>> {
    const { dir, databaseUrl } = this.options;
    return databaseUrl === undefined ? preparePostgres(dir, this.settings.postgresPort) : { url: databaseUrl };
  }

  private async startOtherServers(nats: string): Promise<void> {
    const { dir, hasSandbox } = this.options;
    const args = ['--config', await writeNatsConfig(dir, this.settings.natsPort)];
    await this.children.startServer('nats', { command: nats, args, directory: dir.nats(), stopSignal: 'TERM' });
    if (hasSandbox) await this.startSandbox();
  }

  private async startSandbox(): Promise<void> {
    const { dir, searchPath, sandboxUrl } = this.options;
    await writeRkeWrapper(dir.bin(), { nodeBinary: process.execPath, sandboxUrl: this.sandboxUrl });
    if (sandboxUrl !== undefined) return;
    await this.children.startServer('sandbox', sandboxProgram({ dir, searchPath, port: this.settings.sandboxPort }));
  }

  private contextOf({ terraform, ...made }: MadeForServices): PlatformContext {
    const { dir, issuersFile, isAllInOne, serviceSettings, searchPath } = this.options;
    return {
      ...made,
      dir,
      settings: this.settings,
      issuersFile,
      consoleDir: builtConsoleDir(),
      componentsDir: isAllInOne ? undefined : dir.components(),
      sandboxUrl: this.sandboxUrl,
      furtherSettings: serviceSettings,
      programs: { terraform, searchPath },
    };
  }

  private async startServices(context: PlatformContext): Promise<void> {
    const { dir, services, replicas, signal, say, isAllInOne } = this.options;
    if (services.length === 0) return;
    if (isAllInOne) return this.children.startService(ALL_IN_ONE, await allInOneProgram(this.instances, context));
    const onChange = (): Promise<void> => this.recorder.record();
    const shared = { dir, context, services, replicas, say, onChange, children: this.children };
    this.components = await LocalComponents.open(shared);
    for (const instance of this.instances) {
      signal.throwIfAborted();
      await this.components.startInstance(instance);
    }
  }

  /** Name of the process that a service runs in. */
  private processOf(name: string): string {
    return this.options.isAllInOne ? ALL_IN_ONE : name;
  }

  /** Each service by its name, also where they share a process. */
  private namesIn(child: string): readonly string[] {
    return child === ALL_IN_ONE ? this.instances.map(({ name }) => name) : [child];
  }

  private async waitUntilReady(): Promise<void> {
    for (const { name } of this.instances) {
      const url = `http://127.0.0.1:${this.settings.healthPorts[name]}/readyz`;
      await this.waitFor(name, () => answersOk(url));
    }
    if (!this.options.services.includes('lifecycle')) return;
    const client = await ApiClient.fromKubeconfig(this.options.dir.adminKubeconfig());
    await this.waitFor('lifecycle', () => client.isReady());
  }

  private async waitFor(name: string, probe: () => Promise<boolean>): Promise<void> {
    const { dir, signal } = this.options;
    const log = dir.log(this.processOf(name));
    const restarts = (): number => this.children.restartsOf(this.processOf(name));
    const isHeld = (): Promise<boolean> => PivotSide.of('this platform', dir.root).isHeld();
    const isReady = await becomesReady({ probe, restarts, isHeld, timeoutMs: READY_TIMEOUT_MS, signal });
    signal.throwIfAborted();
    if (isReady) return;
    throw unavailable(`${name} does not become ready: ${await lastWords(log)} (see ${log})`);
  }

  private facts(): RunFacts {
    const settings = this.settingsValue;
    const pids = Object.entries(this.children.pids()).flatMap(([child, pid]) =>
      this.namesIn(child).map((name) => [name, pid] as const),
    );
    if (!settings) return { apiUrl: '', sandboxUrl: '', healthPorts: {}, pids };
    return { apiUrl: this.apiUrl, sandboxUrl: this.sandboxUrl, healthPorts: settings.healthPorts, pids };
  }
}
