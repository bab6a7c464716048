import { createHash, randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CratePlatform, eventually } from '@crate/testing';
import pg from 'pg';
import { PostgresProxy } from '../proxy/postgres-proxy.js';
import { Records } from '../world/records.js';
import { ApiClient } from './api-client.js';
import { newKeysIn, type NewKey } from './new-keys.js';
import { SandboxControl } from './sandbox-control.js';
import { SmallDisk } from './small-disk.js';
import { ProcessFinder } from './working-processes.js';

export const SERVICES = ['lifecycle', 'cloud-mgmt', 'cluster-mgmt', 'policy-mgmt'] as const;
/** Programs that services run, by who runs them. */
const RUN_BY = { terraform: 'cloud-mgmt', rke: 'cluster-mgmt' } as const;
export type WorkProgram = keyof typeof RUN_BY;
const CLOCK = preload('clock-offset.mjs');
const OTHER_HOST = preload('other-host.mjs');
/** Of what the second replicas have for themselves when they are on another host. */
const SECOND = '-2';
/** What a configuration is called while nobody is to find it. */
const AWAY = '.away';
const RESTART_TIMEOUT_MS = 60_000;
/** From the start of a process until the run file names it. */
const KNOWN_WITHIN_MS = 10_000;
/** For all services at once, on a machine that has other things to do. */
const UP_TIMEOUT_MS = 360_000;
const TERRAFORM_MB = 96;
/** Logs of writes grow until the next checkpoint. */
const POSTGRES_MB = 1_024;
const NO_DISKS: Disks = { terraform: 'nobody asked for it', postgres: 'nobody asked for it' };

/** How long a pass holds its key, unless told otherwise. */
export const LEASE_MS = 5_000;
/** How long a deletion waits for a cluster that does not answer. */
export const REMOVAL_PATIENCE_MS = 5_000;
/** Times that operators can set, short enough to see what follows them. */
const SETTINGS = {
  CRATE_RECONCILE_POLL_MS: '1000',
  CRATE_RECONCILE_BACKOFF_CAP_MS: '3000',
  CRATE_RECONCILE_GRACE_MS: '3000',
  CRATE_TERRAFORM_GRACE_MS: '10000',
  // Whoever was away for so long is told to list anew.
  CRATE_HISTORY_MAX_AGE_MS: '20000',
  CRATE_HISTORY_CHECK_MS: '5000',
  CRATE_REMOVAL_PATIENCE_MS: String(REMOVAL_PATIENCE_MS),
  CRATE_SWEEP_EVERY_MS: '60000',
  CRATE_SWEEP_GRACE_MS: '15000',
  // Services start again all the time; they need not be compiled anew each time.
  NODE_COMPILE_CACHE: join(tmpdir(), 'chaos-compile-cache'),
};

export interface ChaosPlatformOptions {
  readonly replicas: number;
  /** With 2, the second replica of each service is on a host of its own. Default: 1. */
  readonly hosts?: number;
  /** Longer on machines that are so busy that processes stand still for seconds. */
  readonly leaseMs: number;
  /** Puts what Terraform and Postgres write on small disks, where such can be mounted. */
  readonly smallDisks?: boolean;
  /** Factor on the latency of the simulated cloud. */
  readonly latencyScale: number;
}

/** Disks that can be filled; a text says why there is none. */
export interface Disks {
  readonly terraform: SmallDisk | string;
  readonly postgres: SmallDisk | string;
}

interface PlatformParts {
  readonly platform: CratePlatform;
  /** Says by how much clocks are wrong. */
  readonly clockFile: string;
  /** Says which host the second one is by now. */
  readonly hostFile: string;
  readonly proxy: PostgresProxy;
  readonly records: Records;
  readonly sandbox: SandboxControl;
  readonly api: ApiClient;
  readonly disks: Disks;
}

/** A whole platform with everything in between that it takes to break it. */
export class ChaosPlatform {
  private static readonly running = new Set<ChaosPlatform>();
  private static readonly starting = new Set<Promise<unknown>>();
  private static isEnding = false;
  private ending: Promise<void> | undefined;
  /** How many there were, those that were lost among them. */
  private hosts = 2;

  readonly proxy: PostgresProxy;
  readonly records: Records;
  readonly sandbox: SandboxControl;
  readonly api: ApiClient;

  private constructor(private readonly parts: PlatformParts) {
    ({ proxy: this.proxy, records: this.records, sandbox: this.sandbox, api: this.api } = parts);
    ChaosPlatform.running.add(this);
  }

  static async start(options: ChaosPlatformOptions): Promise<ChaosPlatform> {
    if (ChaosPlatform.isEnding) throw new Error('Chaos is being ended');
    const begun = ChaosPlatform.begin(options);
    ChaosPlatform.starting.add(begun);
    try {
      return await begun;
    } finally {
      ChaosPlatform.starting.delete(begun);
    }
  }

  private static async begin(options: ChaosPlatformOptions): Promise<ChaosPlatform> {
    const { replicas, hosts = 1, latencyScale, leaseMs, smallDisks } = options;
    const clockFile = join(tmpdir(), `chaos-clock-${randomUUID()}.json`);
    const hostFile = join(tmpdir(), `chaos-host-${randomUUID()}`);
    const lease = { CRATE_RECONCILE_LEASE_MS: String(leaseMs) };
    const preloads = [CLOCK, ...(hosts > 1 ? [OTHER_HOST] : [])].map((file) => `--import=${file}`).join(' ');
    const files = { CHAOS_CLOCK_FILE: clockFile, CHAOS_HOST_FILE: hostFile };
    const settings = { ...SETTINGS, ...lease, NODE_OPTIONS: preloads, ...files };
    const platform = await CratePlatform.start({ replicas, latencyScale, settings });
    const disks = smallDisks ? await mountDisks(platform) : NO_DISKS;
    const run = await readRun(platform.directory);
    const ownerUrl = await platform.databaseUrl();
    const apiPort = Number(new URL(run.apiUrl).port);
    const started = new ChaosPlatform({
      platform,
      disks,
      clockFile,
      hostFile,
      proxy: await PostgresProxy.start(Number(new URL(ownerUrl).port)),
      records: Records.open(ownerUrl),
      sandbox: new SandboxControl(run.sandboxUrl),
      api: await ApiClient.open(platform.directory, () => Promise.resolve(apiPort)),
    });
    try {
      await started.leadThroughProxy();
    } catch (error) {
      // Nobody else knows that it is there.
      await started.stop({ keepsData: false }).catch(() => undefined);
      throw error;
    }
    return started;
  }

  /** Ends every platform that this process has started, as when it is asked to stop. */
  static async stopAll(): Promise<void> {
    ChaosPlatform.isEnding = true;
    // One that is half there would go on by itself.
    await Promise.allSettled(ChaosPlatform.starting);
    await Promise.all([...ChaosPlatform.running].map((one) => one.stop({ keepsData: false }).catch(() => undefined)));
  }

  get directory(): string {
    return this.parts.platform.directory;
  }

  /** Where Terraform works, on each host. */
  get workspaces(): readonly string[] {
    return onEachHost(workspacesOf(this.directory));
  }

  private get natsConfig(): string {
    return join(this.directory, 'nats', 'nats.conf');
  }

  get disks(): Disks {
    return this.parts.disks;
  }

  /** URL of the database, as its owner, past the proxy. */
  databaseUrl(): Promise<string> {
    return this.parts.platform.databaseUrl();
  }

  /** The API of each replica of the front door. */
  async replicaApis(): Promise<readonly ApiClient[]> {
    const names = Object.keys(await this.parts.platform.processes()).filter((name) => name.startsWith('lifecycle-'));
    const further = names.map((name) => ApiClient.open(this.directory, () => apiPortOf(this.directory, name)));
    return [this.api, ...(await Promise.all(further))];
  }

  /** Processes by name; 0 for one that is being started again. */
  async pids(): Promise<Readonly<Record<string, number>>> {
    const processes = Object.entries(await this.parts.platform.processes());
    return Object.fromEntries(processes.map(([name, { pid }]) => [name, pid]));
  }

  /** Sends a signal; a process that is between two lives gets none. Tells whether there was one. */
  async signal(name: string, signal: NodeJS.Signals): Promise<boolean> {
    const pid = (await this.pids())[name];
    return pid !== undefined && pid > 0 && send(pid, signal);
  }

  /** Gives every service a new key to encrypt with; they move what they keep under it by themselves. */
  async rotateKeys(): Promise<readonly NewKey[]> {
    return newKeysIn(await this.parts.platform.crate('secrets', 'rotate', '--no-wait'));
  }

  /** Asks a process to end, and waits until it is started again. */
  async restart(name: string): Promise<void> {
    const before = (await this.pids())[name] ?? 0;
    await this.signal(name, 'SIGTERM');
    await eventually(async () => ![0, before].includes((await this.pids())[name] ?? 0), {
      timeoutMs: RESTART_TIMEOUT_MS,
    });
  }

  /** Finds what runs of a program. */
  finderOf(program: WorkProgram): ProcessFinder {
    return new ProcessFinder(onEachHost(workspacesOf(this.directory, RUN_BY[program])).flatMap(alsoInMemory));
  }

  /** Kills NATS, which does not come back without its configuration. */
  async takeNatsAway(): Promise<void> {
    await moveIfThere(this.natsConfig, this.natsConfig + AWAY);
    // One that has just read its configuration is known a moment later; where nobody comes to be known, nobody is there.
    await eventually(() => this.signal('nats', 'SIGKILL'), { timeoutMs: KNOWN_WITHIN_MS }).catch(() => undefined);
  }

  /** NATS is there again the next time that somebody starts it. */
  async giveNatsBack(): Promise<void> {
    await moveIfThere(this.natsConfig + AWAY, this.natsConfig);
  }

  /** Sends a signal to all that the second host runs: replicas, Terraform and rke. */
  async signalSecondHost(signal: NodeJS.Signals): Promise<void> {
    const names = Object.keys(await this.pids()).filter((name) => name.endsWith(SECOND));
    await Promise.all(names.map((name) => this.signal(name, signal)));
    for (const service of Object.values(RUN_BY)) {
      const finder = new ProcessFinder(alsoInMemory(workspacesOf(this.directory, service) + SECOND));
      for (const { pid } of finder.look()) send(pid, signal);
    }
  }

  /** The second host is gone for good, with all that it ran and had on its disks; one of another name comes in its place. */
  async loseSecondHost(): Promise<void> {
    // Nothing is done any more while its disks go, and nobody begins on them before they are gone.
    await this.signalSecondHost('SIGSTOP');
    for (const service of Object.values(RUN_BY)) {
      const folders = alsoInMemory(workspacesOf(this.directory, service) + SECOND);
      await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
    }
    await writeFile(this.parts.hostFile, String((this.hosts += 1)));
    await this.signalSecondHost('SIGKILL');
  }

  /** Kills every run of a program, with its group; gives how many there were. */
  killRuns(program: WorkProgram): number {
    const groups = new Set(
      this.finderOf(program)
        .look()
        .map(({ pgid }) => pgid),
    );
    for (const group of groups) send(-group, 'SIGKILL');
    return groups.size;
  }

  /** Puts the clock of every process of a service wrong by so much. */
  async setClocks(offsetsMs: Readonly<Record<string, number>>): Promise<void> {
    await writeFile(this.parts.clockFile, JSON.stringify(offsetsMs));
  }

  /** Until every service says that it is ready, and the API and the sandbox answer. */
  async untilUp(): Promise<void> {
    await eventually(
      async () => {
        const processes = Object.values(await this.parts.platform.processes());
        const urls = processes.flatMap(({ healthUrl }) => healthUrl ?? []);
        for (const url of urls) {
          if (!(await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(3_000) })).ok) return false;
        }
        await this.sandbox.heldCalls();
        return (await this.api.send({ method: 'GET', path: '/apis' })).status === 200;
      },
      { timeoutMs: UP_TIMEOUT_MS },
    );
  }

  /** Whether somebody asked this process to stop: what fails from then on says nothing. */
  static get isBeingEnded(): boolean {
    return ChaosPlatform.isEnding;
  }

  /** Stops everything; the data is kept on request. Whoever asks again waits for the same end. */
  stop(options: { readonly keepsData: boolean }): Promise<void> {
    return (this.ending ??= this.end(options));
  }

  private async end(options: { readonly keepsData: boolean }): Promise<void> {
    ChaosPlatform.running.delete(this);
    this.api.close();
    await this.records.close();
    await this.parts.platform.crate('down').catch(() => '');
    for (const disk of Object.values(this.disks)) if (disk instanceof SmallDisk) await disk.unmount(options);
    if (!options.keepsData) await this.parts.platform.remove();
    await this.proxy.close();
    for (const file of [this.parts.clockFile, this.parts.hostFile]) await rm(file, { force: true });
  }

  /** Services read where their database is when they start: from now on it is where the proxy listens. */
  private async leadThroughProxy(): Promise<void> {
    for (const service of SERVICES) {
      const file = join(this.directory, 'services', service, 'database-url');
      const url = new URL(await readFile(file, 'utf8'));
      url.port = String(this.proxy.port);
      await writeFile(file, url.href);
    }
    const names = Object.keys(await this.pids()).filter((name) => SERVICES.some((service) => name.startsWith(service)));
    await Promise.all(names.map((name) => this.restart(name)));
    await this.untilUp();
  }
}

/** Where a further replica listens: the system chose, and its log tells. */
async function apiPortOf(directory: string, name: string): Promise<number> {
  const log = await readFile(join(directory, 'logs', `${name}.log`), 'utf8');
  const [, port] = [...log.matchAll(/"url":"[^"]*:(\d+)","msg":"Serving the public API"/g)].at(-1) ?? [];
  if (port === undefined) throw new Error(`${name} does not say where it listens`);
  return Number(port);
}

function workspacesOf(directory: string, service: string = RUN_BY.terraform): string {
  return join(directory, 'services', service, 'workspaces');
}

function onEachHost(directory: string): readonly string[] {
  return [directory, directory + SECOND];
}

/** Engines work in memory where the machine has such a place, in a folder named after the one on disk (ADR 0081). */
function alsoInMemory(directory: string): readonly string[] {
  const installation = createHash('sha256').update(directory).digest('hex').slice(0, 16);
  return [directory, `/dev/shm/crate-${installation}`];
}

function preload(file: string): string {
  return fileURLToPath(new URL(`../../preload/${file}`, import.meta.url));
}

/** The platform stands still meanwhile: Postgres keeps its files open. */
async function mountDisks(platform: CratePlatform): Promise<Disks> {
  const dataDirectory = await postgresDirectory(await platform.databaseUrl());
  await platform.crate('down');
  const postgres = await SmallDisk.mount(dataDirectory, POSTGRES_MB);
  const terraform = await SmallDisk.mount(workspacesOf(platform.directory), TERRAFORM_MB);
  await platform.up();
  return { terraform, postgres };
}

async function postgresDirectory(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ data_directory: string }>('SHOW data_directory');
  await client.end();
  return rows[0]?.data_directory ?? '';
}

interface RunFile {
  readonly apiUrl: string;
  readonly sandboxUrl: string;
}

async function readRun(directory: string): Promise<RunFile> {
  return JSON.parse(await readFile(join(directory, 'up.json'), 'utf8')) as RunFile;
}

async function moveIfThere(from: string, to: string): Promise<void> {
  await rename(from, to).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
}

function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false; // It ended meanwhile.
  }
}
