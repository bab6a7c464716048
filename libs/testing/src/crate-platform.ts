import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '@crate/local-servers';

const run = promisify(execFile);
const CLI = fileURLToPath(new URL('../../../services/cli/dist/main.js', import.meta.url));
const TIMEOUT_MS = 240_000;
/** As shells count processes that a signal ended. */
const EXIT_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
const OUTPUT_BYTES = 64 * 1024 * 1024;

/** A process of a running platform. */
export interface CrateProcess {
  readonly pid: number;
  /** Base URL of its `/readyz` and `/metrics`. */
  readonly healthUrl?: string;
}

/** Something that exists in the simulated cloud. */
export interface CloudObject {
  readonly type: string;
  readonly id: string;
  readonly tags: Readonly<Record<string, string>>;
}

/** What `crate up` leaves in the data directory. */
interface RunRecord {
  readonly pid: number;
  readonly sandboxUrl: string;
  readonly processes: Readonly<Record<string, CrateProcess>>;
}

export interface CratePlatformOptions {
  /** Processes of each service; default 1. */
  readonly replicas?: number;
  /** Factor on the latency of the simulated cloud; default 0. */
  readonly latencyScale?: number;
  /** Environment variables of every service, as an operator sets them. */
  readonly settings?: Readonly<Record<string, string>>;
  /** All services in one process. */
  readonly isAllInOne?: boolean;
  /** File with the URL of a PostgreSQL to use instead of its own. */
  readonly databaseUrlFile?: string;
  /** Of the API, for who has to name it before; default: any that is free. */
  readonly port?: number;
}

/** A whole platform in a temporary directory, started as a person would start it, without the example. */
export class CratePlatform {
  private static readonly started = new Set<CratePlatform>();
  private static isEnding = false;

  private constructor(
    readonly directory: string,
    private readonly options: CratePlatformOptions,
    private readonly port: number,
  ) {}

  static async start(options: CratePlatformOptions = {}): Promise<CratePlatform> {
    const directory = await mkdtemp(join(tmpdir(), 'crate-platform-'));
    const platform = new CratePlatform(directory, options, options.port ?? (await freePort()));
    CratePlatform.started.add(platform);
    try {
      await platform.up();
      await platform.setLatency(options.latencyScale ?? 0);
      return platform;
    } catch (error) {
      const log = await readFile(join(directory, 'logs', 'up.log'), 'utf8').catch(() => '');
      await platform.remove();
      throw new Error(`The platform did not start:\n${log}`, { cause: error });
    }
  }

  /**
   * For programs: whoever ends this process ends the platforms that it started, too, which run by themselves. A signal that comes twice, from
   * a terminal and from what handed over to us, is one.
   */
  static removeAllOnSignals(): void {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        if (CratePlatform.isEnding) return;
        CratePlatform.isEnding = true;
        // What the program was about fails as its platform goes; that must not end it before the platform is gone.
        process.on('uncaughtException', () => undefined);
        const removed = [...CratePlatform.started].map((platform) => platform.remove());
        void Promise.allSettled(removed).then(() => process.exit(EXIT_CODES[signal]));
      });
    }
  }

  /** Base URL of the API. */
  get url(): string {
    return `https://127.0.0.1:${this.port}`;
  }

  get kubeconfigFile(): string {
    return join(this.directory, 'admin.kubeconfig');
  }

  async kubeconfig(): Promise<string> {
    return readFile(this.kubeconfigFile, 'utf8');
  }

  /** Starts the platform again on its data, as after `down`. */
  async up(): Promise<void> {
    const replicas = String(this.options.replicas ?? 1);
    const settings = await this.writeSettings();
    const how = ['--no-example', '--detach', '--replicas', replicas, '--service-settings', settings];
    const { databaseUrlFile } = this.options;
    const database = databaseUrlFile === undefined ? [] : ['--database-url-file', databaseUrlFile];
    const together = this.options.isAllInOne ? ['--all-in-one'] : [];
    await this.crate('up', '--port', String(this.port), ...how, ...together, ...database);
  }

  private async writeSettings(): Promise<string> {
    const file = join(this.directory, 'service-settings.env');
    const lines = Object.entries(this.options.settings ?? {}).map(([name, value]) => `${name}=${value}\n`);
    await writeFile(file, lines.join(''));
    return file;
  }

  /** Runs a command of the CLI on this platform and gives what it printed. Rejects when it fails. */
  async crate(...args: readonly string[]): Promise<string> {
    const command = [CLI, ...args, '--data-dir', this.directory];
    const { stdout } = await run(process.execPath, command, { timeout: TIMEOUT_MS, maxBuffer: OUTPUT_BYTES });
    return stdout;
  }

  /** Everything that runs, by name: `lifecycle`, `lifecycle-2`, `sandbox`, `postgres`, `nats` … */
  async processes(): Promise<Readonly<Record<string, CrateProcess>>> {
    return (await this.record()).processes;
  }

  /** Process that started all the others, and starts them again. */
  async pid(): Promise<number> {
    return (await this.record()).pid;
  }

  private async record(): Promise<RunRecord> {
    return JSON.parse(await readFile(join(this.directory, 'up.json'), 'utf8')) as RunRecord;
  }

  /** Of all simulated clouds; says it to the sandbox itself, which spares each platform a run of the CLI. */
  async setLatency(scale: number): Promise<void> {
    const { sandboxUrl } = await this.record();
    const headers = { 'content-type': 'application/json' };
    const options = { method: 'PUT', headers, body: JSON.stringify({ scale }) };
    const response = await fetch(new URL('/v1/latency', sandboxUrl), options);
    if (!response.ok) throw new Error(`The sandbox refuses the latency: ${response.status} ${await response.text()}`);
  }

  /** What exists in the simulated cloud, by its own word. */
  async inventory(): Promise<readonly CloudObject[]> {
    const { sandboxUrl } = await this.record();
    return (await (await fetch(new URL('/v1/inventory', sandboxUrl))).json()) as CloudObject[];
  }

  /** Sum over all series of a metric of one process, such as `crate_terraform_run_seconds_sum`; 0 when there is none. */
  async metric(process: string, name: string): Promise<number> {
    const url = (await this.processes())[process]?.healthUrl;
    const text = await (await fetch(`${url}/metrics`)).text();
    const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
    return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
  }

  /** URL of the database, as its owner. */
  async databaseUrl(): Promise<string> {
    return readFile(join(this.directory, 'services', 'postgres', 'database-url'), 'utf8');
  }

  /** Stops everything and removes all data. Idempotent. */
  async remove(): Promise<void> {
    await this.crate('down').catch(() => undefined);
    await rm(this.directory, { recursive: true, force: true });
    CratePlatform.started.delete(this);
  }
}
