import { execFile, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { natsConfiguration, passwordVariable, RELEASE } from '@crate/helm-chart';
import { GuardedProcess } from '@crate/local-servers';
import { eventually, startNats, startPostgres, type CloudObject } from '@crate/testing';
import { stringify } from 'yaml';

const CLI = fileURLToPath(new URL('../../../services/cli/dist/main.js', import.meta.url));
const SERVICES = ['lifecycle', 'cloud-mgmt', 'cluster-mgmt', 'policy-mgmt'];
const PATIENT = { timeoutMs: 480_000 };
const COMMAND_MS = 580_000;
const OUTPUT_BYTES = 16 * 1024 * 1024;
const ONE = { replicas: 1, podDisruptionBudget: { enabled: false } };
/** Small: one pod of each service, without volumes. */
export const VALUES = {
  persistence: { enabled: false },
  lifecycle: ONE,
  cloudMgmt: ONE,
  clusterMgmt: ONE,
  policyMgmt: ONE,
};

/** How a command ended. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export type ServerName = 'postgres' | 'nats';

/** Servers of one's own, and the arguments that name them. */
interface OwnServers {
  readonly arguments: readonly string[];
  readonly stop: () => Promise<void>;
}

/** What somebody has who sets up a platform: a (simulated) cloud, an empty directory and, unless the platform brings them, PostgreSQL and NATS. */
export class BootstrapBench {
  private constructor(
    private readonly root: string,
    private readonly cloud: GuardedProcess,
    private readonly sandboxUrl: string,
    private readonly servers: OwnServers,
  ) {}

  /** Servers that are not named are somebody's own. */
  static async start({ bundled = [] }: { readonly bundled?: readonly ServerName[] } = {}): Promise<BootstrapBench> {
    const root = await mkdtemp(join(tmpdir(), 'crate-bootstrap-'));
    const servers = await startServers(root, bundled);
    await writeFile(join(root, 'values.yaml'), stringify(VALUES));
    const { cloud, url } = await startCloud(join(root, 'cloud'), root);
    return new BootstrapBench(root, cloud, url, servers);
  }

  /** Directory of the bootstrap. */
  get data(): string {
    return join(this.root, 'data');
  }

  get kubeconfig(): string {
    return join(this.data, 'admin.kubeconfig');
  }

  /** Arguments of the command that sets the platform up. */
  get bootstrap(): readonly string[] {
    const places = ['--data', this.data, '--sandbox-url', this.sandboxUrl, '--values', this.file('values.yaml')];
    const small = ['--account', '111122223333', '--control-plane', '1', '--nodes', '1'];
    return [
      'bootstrap',
      'sandbox',
      ...places,
      ...this.servers.arguments,
      ...small,
      '--result',
      this.file('result.json'),
    ];
  }

  file(name: string): string {
    return join(this.root, name);
  }

  async write(name: string, content: string): Promise<void> {
    await writeFile(this.file(name), content);
  }

  async json<T>(name: string): Promise<T> {
    return JSON.parse(await readFile(this.file(name), 'utf8')) as T;
  }

  /** Runs a command to its end. */
  run(...args: readonly string[]): Promise<Ended> {
    return new Promise((resolve) => {
      const options = { timeout: COMMAND_MS, maxBuffer: OUTPUT_BYTES };
      const child = execFile(process.execPath, [CLI, ...args], options, (_error, stdout, stderr) =>
        resolve({ code: child.exitCode, stdout, stderr }),
      );
    });
  }

  /** Runs a command and kills it once the journal has the step. Gives the exit code: null when it was killed. */
  async killAfter(step: string, journal: string, args: readonly string[]): Promise<number | null> {
    const child = spawn(process.execPath, [CLI, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    await eventually(async () => {
      if (child.exitCode !== null) throw new Error(`It ended by itself with ${child.exitCode}`);
      const { steps } = await this.json<{ steps: Record<string, string> }>(join('data', journal));
      if (steps[step] === undefined) throw new Error(`So far: ${Object.keys(steps).join(', ')}`);
    }, PATIENT);
    child.kill('SIGKILL');
    return ended;
  }

  /** Images that pods of the simulated cloud are programs for, by reference; to be changed as one would push further ones. */
  get images(): string {
    return join(this.root, 'cloud', 'sandbox', 'images.json');
  }

  /** What exists in the simulated cloud, by its own word. */
  async inventory(): Promise<readonly CloudObject[]> {
    return (await (await fetch(new URL('/v1/inventory', this.sandboxUrl))).json()) as CloudObject[];
  }

  /** Command lines of all processes of this machine that name a directory of the bootstrap (Linux). */
  processes(directory = ''): readonly string[] {
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    return pids.map(commandLineOf).filter((line) => line.includes(join(this.data, directory)));
  }

  /** Ends whatever is left of it. */
  async stop(): Promise<void> {
    for (const name of ['singleton', 'removal']) await this.run('down', '--data-dir', join(this.data, name));
    await this.cloud.stop();
    await this.servers.stop();
    await rm(this.root, { recursive: true, force: true });
  }
}

async function startServers(root: string, bundled: readonly ServerName[]): Promise<OwnServers> {
  const starts = { postgres: ownPostgres, nats: ownNats };
  const own = (['postgres', 'nats'] as const).filter((name) => !bundled.includes(name));
  const servers = await Promise.all(own.map((name) => starts[name](root)));
  return {
    arguments: servers.flatMap((server) => server.arguments),
    stop: async () => void (await Promise.all(servers.map((server) => server.stop()))),
  };
}

async function ownPostgres(root: string): Promise<OwnServers> {
  const postgres = await startPostgres();
  const database = join(root, 'database-url');
  await writeFile(database, (await postgres.createDatabase()).url, { mode: 0o600 });
  return { arguments: ['--database-url-file', database], stop: () => postgres.stop() };
}

async function ownNats(root: string): Promise<OwnServers> {
  const passwords = SERVICES.map((service) => ({ service, password: `n-${service}-${process.pid}` }));
  const nats = await startNats({ config: await natsConfiguration({ secrets: passwords.map(credentials) }) });
  const users = join(root, 'nats.env');
  const lines = passwords.map(({ service, password }) => `${passwordVariable(service)}=${password}\n`);
  await writeFile(users, lines.join(''), { mode: 0o600 });
  return { arguments: ['--nats-url', nats.url, '--nats-passwords-file', users], stop: () => nats.stop() };
}

/** A cloud of its own, which outlives the temporary platforms. */
async function startCloud(directory: string, root: string): Promise<{ cloud: GuardedProcess; url: string }> {
  const cloud = await GuardedProcess.start({
    command: process.execPath,
    args: [CLI, 'sandbox', 'serve', '--data-dir', directory],
    directory: root,
    stopSignal: 'TERM',
    logFile: join(root, 'cloud.log'),
  });
  const url = await eventually(async () => {
    const record = JSON.parse(await readFile(join(directory, 'up.json'), 'utf8')) as {
      sandboxUrl: string;
      readyAt?: string;
    };
    if (record.readyAt === undefined) throw new Error(await readFile(join(root, 'cloud.log'), 'utf8'));
    return record.sandboxUrl;
  }, PATIENT);
  const headers = { 'content-type': 'application/json' };
  await fetch(new URL('/v1/latency', url), { method: 'PUT', headers, body: JSON.stringify({ scale: 0 }) });
  return { cloud, url };
}

/** Empty for a process that is gone meanwhile. */
export function commandLineOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

function credentials({ service, password }: { readonly service: string; readonly password: string }) {
  return {
    ...({ apiVersion: 'v1', kind: 'Secret', type: 'Opaque' } as const),
    metadata: { name: `${RELEASE}-${service}-credentials`, namespace: '' },
    stringData: { 'nats-password': password },
  };
}
