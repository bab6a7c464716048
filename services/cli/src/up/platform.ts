import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { unavailable } from '@crate/errors';
import { writeRkeWrapper } from '@crate/sandbox/client';
import { ApiClient } from '../client/api-client.js';
import { natsServer, terraform } from '../prerequisites/programs.js';
import { obtain } from '../prerequisites/prerequisite.js';
import { ensureServerCertificate } from './certificates.js';
import { LocalComponents } from './components/local-components.js';
import type { DataDir } from './data-dir.js';
import { renderKubeconfig } from './kubeconfig.js';
import { lastWords } from './last-words.js';
import { answersOk, program } from './node-program.js';
import { preparePostgres } from './postgres-server.js';
import {
  claimRun,
  isRunning,
  removeRunRecord,
  startTimeOf,
  writeRunRecord,
  type RunningProcess,
  type RunRecord,
} from './run-file.js';
import { sandboxProgram } from './sandbox-program.js';
import { removeScrapeTargets, writeScrapeTargets } from './scrape-targets.js';
import { writeSecretFile } from './secret-file.js';
import { ensureServiceDatabases } from './service-databases.js';
import {
  ADMIN,
  builtConsoleDir,
  ensureServiceKeys,
  extraInstanceOf,
  issueAdminToken,
  instancesOf,
  serviceEnvironment,
  writeNatsConfig,
  type PlatformContext,
  type ServiceInstance,
} from './services.js';
import { SERVICE_ORDER, type LocalService } from './service-order.js';
import { ensureSettings, type Settings } from './settings.js';
import { Supervisor } from './supervisor.js';
import { waitUntil } from './wait.js';

const READY_TIMEOUT_MS = 120_000;
/** Longer than services and servers take to stop. */
const LEFT_TIMEOUT_MS = 45_000;
/** A service that ended this often while starting will not come up by itself; pauses in between grow. */
const START_ATTEMPTS = 5;
/** The process that holds all services, where one does. */
const ALL_IN_ONE = 'all-in-one';

export interface PlatformOptions {
  readonly dir: DataDir;
  readonly port?: number;
  /** Which services to run; the rest are expected to be run by someone else. */
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

/** The whole platform on this computer: Postgres, NATS, the sandbox and the services, each a child process. */
export class LocalPlatform {
  private readonly children: Supervisor;
  private readonly startedAt = new Date().toISOString();
  private readyAt: string | undefined;
  private recording = Promise.resolve();
  private settingsValue: Settings | undefined;
  private components: LocalComponents | undefined;

  constructor(private readonly options: PlatformOptions) {
    const { dir, say } = options;
    this.children = new Supervisor({ dir, say, onRestarted: () => void this.record() });
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
    const left = await claimRun(dir, this.runRecord());
    try {
      await this.waitForEnd(left);
      await this.startAll();
      signal.throwIfAborted();
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** Stops everything in reverse order; data stays. Idempotent. */
  async stop(): Promise<void> {
    await this.components?.stop();
    await this.children.stop();
    await this.recording;
    await removeScrapeTargets(this.options.dir);
    await removeRunRecord(this.options.dir);
  }

  /** What was left by a platform that was killed ends by itself, but holds ports and files until then. */
  private async waitForEnd(left: readonly RunningProcess[]): Promise<void> {
    if (left.length === 0) return;
    const { say, signal } = this.options;
    say('Waiting for the processes of a platform that was killed');
    const isOver = (): Promise<boolean> => Promise.resolve(!left.some(isRunning));
    if (await waitUntil(isOver, LEFT_TIMEOUT_MS, signal)) return;
    signal.throwIfAborted();
    const pids = left.filter(isRunning).map(({ pid }) => pid);
    throw unavailable(
      `Processes ${pids.join(', ')} of a platform that was killed do not end; end them and start again`,
    );
  }

  private async startAll(): Promise<void> {
    const { dir, port } = this.options;
    const extra = this.options.services.map((service) => extraInstanceOf(service, this.options.replicas));
    const names = [...this.instances, ...extra].map(({ name }) => name);
    this.settingsValue = await ensureSettings(dir, names, port);
    const programs = await this.findPrograms();
    await ensureServiceKeys(dir);
    const certificate = await ensureServerCertificate(dir);
    await writeSecretFile(
      dir.adminKubeconfig(),
      renderKubeconfig({ server: this.apiUrl, ca: certificate.ca, token: issueAdminToken(dir), user: ADMIN }),
    );
    const ownerUrl = this.options.databaseUrl ?? (await this.startPostgres());
    await this.startServers(programs.nats);
    const databaseUrls = await ensureServiceDatabases({
      dir,
      ownerUrl,
      services: SERVICE_ORDER,
      signal: this.options.signal,
    });
    await this.startServices({
      dir,
      settings: this.settings,
      certificate,
      databaseUrls,
      issuersFile: this.options.issuersFile,
      consoleDir: builtConsoleDir(),
      componentsDir: this.options.isAllInOne ? undefined : dir.components(),
      sandboxUrl: this.sandboxUrl,
      furtherSettings: this.options.serviceSettings,
      programs: { terraform: programs.terraform, searchPath: this.options.searchPath },
    });
    await this.record();
    await this.waitUntilReady();
    this.readyAt = new Date().toISOString();
    await this.record();
    this.components?.start();
  }

  private async findPrograms(): Promise<{ nats: string; terraform: string }> {
    const { dir, searchPath, say, hasSandbox } = this.options;
    const options = { searchPath, binDirectory: dir.bin() };
    const nats = await obtain(natsServer(options), say);
    return { nats, terraform: hasSandbox ? await obtain(terraform(options), say) : '' };
  }

  /** Gives the URL of the database, as its owner. */
  private async startPostgres(): Promise<string> {
    const { dir, signal } = this.options;
    const postgres = await preparePostgres(dir, this.settings.postgresPort);
    signal.throwIfAborted();
    await this.children.startServer('postgres', postgres.program);
    return postgres.url;
  }

  private async startServers(nats: string): Promise<void> {
    const { dir } = this.options;
    const args = ['--config', await writeNatsConfig(dir, this.settings.natsPort)];
    await this.children.startServer('nats', { command: nats, args, directory: dir.nats(), stopSignal: 'TERM' });
    if (this.options.hasSandbox) await this.startSandbox();
  }

  private async startSandbox(): Promise<void> {
    const { dir, searchPath, sandboxUrl } = this.options;
    await writeRkeWrapper(dir.bin(), { nodeBinary: process.execPath, sandboxUrl: this.sandboxUrl });
    if (sandboxUrl !== undefined) return;
    await this.children.startServer('sandbox', sandboxProgram({ dir, searchPath, port: this.settings.sandboxPort }));
  }

  private async startServices(context: PlatformContext): Promise<void> {
    if (this.options.isAllInOne) return this.startTogether(context);
    const { dir, services, replicas, signal, say } = this.options;
    const onChange = (): Promise<void> => this.record();
    const shared = { dir, context, services, replicas, say, onChange, children: this.children };
    this.components = await LocalComponents.open(shared);
    for (const instance of this.instances) {
      signal.throwIfAborted();
      await this.components.startInstance(instance);
    }
  }

  /** The same programs, loaded into one process. */
  private async startTogether(context: PlatformContext): Promise<void> {
    const { dir, searchPath } = this.options;
    const services = await Promise.all(
      this.instances.map(async (instance) => ({
        program: modulesOf(instance.service),
        environment: await serviceEnvironment(instance, context),
      })),
    );
    const file = join(dir.service(ALL_IN_ONE), 'services.json');
    await writeSecretFile(file, JSON.stringify(services, undefined, 2));
    const entry = fileURLToPath(new URL('../../../../libs/service-host/dist/all-in-one.js', import.meta.url));
    const { args, ...rest } = program(entry);
    const env = { PATH: searchPath, HOME: dir.service(ALL_IN_ONE), NODE_ENV: 'production' };
    await this.children.startService(ALL_IN_ONE, { ...rest, args: [...args, file], env });
  }

  /** Name of the process that a service runs in. */
  private processOf(name: string): string {
    return this.options.isAllInOne ? ALL_IN_ONE : name;
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
    const isHopeless = (): boolean => this.children.restartsOf(this.processOf(name)) >= START_ATTEMPTS;
    const ready = await waitUntil(async () => isHopeless() || (await probe()), READY_TIMEOUT_MS, signal);
    signal.throwIfAborted();
    if (ready && !isHopeless()) return;
    throw unavailable(`${name} does not become ready: ${await lastWords(log)} (see ${log})`);
  }

  /** One write after the other, so that the last one wins. */
  private async record(): Promise<void> {
    const { dir, say } = this.options;
    this.recording = this.recording
      .then(() => writeRunRecord(dir, this.runRecord()))
      .then(() => writeScrapeTargets(dir, this.runRecord()))
      .catch((error: unknown) => say(`Cannot write ${dir.runFile()}: ${String(error)}`));
    await this.recording;
  }

  private runRecord(): RunRecord {
    const { healthPorts = {} } = this.settingsValue ?? {};
    // Each service by its name, also where they share a process.
    const pids = Object.entries(this.children.pids()).flatMap(([name, pid]) => {
      return name === ALL_IN_ONE
        ? this.instances.map((instance) => [instance.name, pid] as const)
        : [[name, pid] as const];
    });
    const processes = pids.map(([name, pid]) => {
      const port = healthPorts[name];
      return [
        name,
        { ...identify(pid), ...(port === undefined ? {} : { healthUrl: `http://127.0.0.1:${port}` }) },
      ] as const;
    });
    return {
      ...identify(process.pid),
      startedAt: this.startedAt,
      ...(this.readyAt === undefined ? {} : { readyAt: this.readyAt }),
      apiUrl: this.settingsValue ? this.apiUrl : '',
      sandboxUrl: this.settingsValue ? this.sandboxUrl : '',
      processes: Object.fromEntries(processes),
    };
  }
}

function entryOf(service: LocalService): string {
  return fileURLToPath(new URL(`../../../${service}/dist/main.js`, import.meta.url));
}

/** What several services in one process share is loaded once: bundles have each their own. */
function modulesOf(service: LocalService): string {
  return entryOf(service).replace(/main\.js$/, 'service.js');
}

function identify(pid: number): RunningProcess {
  const startTime = startTimeOf(pid);
  return { pid, ...(startTime === undefined ? {} : { startTime }) };
}
