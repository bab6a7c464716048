import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { readEnvironment } from '@crate/config';
import { InMemoryLogger } from '@crate/telemetry';
import { freePort } from '@crate/testing';
import { stringify } from 'yaml';
import { startControlApi, type ControlApi } from '../../control-api/server.js';
import { SANDBOX_URL_VARIABLE } from '../../rke/config.js';
import { authorizedKeyOf } from '../../ssh/public-key.js';
import { FakeMachines } from './fake-machines.js';
import { startSimulatedClusters, type SimulatedClusters } from '../simulated-clusters.js';

const run = promisify(execFile);
const PACKAGE = fileURLToPath(new URL('../../..', import.meta.url));

/** How a program ended. */
export interface Outcome {
  readonly code: number;
  readonly output: string;
}

/** A node of `cluster.yml`, with what tests do not care about filled in. */
export interface BenchNode {
  readonly name: string;
  readonly address: string;
  readonly role: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly unknown[];
}

/** Starts the compiled engine in a directory, against a control API. */
export function startRke(directory: string, sandboxUrl: string, args: readonly string[]): ChildProcess {
  const main = join(PACKAGE, 'dist', 'rke', 'main.js');
  const env = { PATH: readEnvironment()['PATH'], HOME: directory, [SANDBOX_URL_VARIABLE]: sandboxUrl };
  return spawn(process.execPath, [main, ...args], { cwd: directory, env, stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Runs kubectl with the kubeconfig the engine wrote into a directory, led to `server` as everybody is. */
export async function runKubectl(
  directory: string,
  server: string,
  args: readonly string[],
  input?: unknown,
): Promise<Outcome> {
  const path = join(directory, 'kubeconfig');
  const written = await readFile(join(directory, 'kube_config_cluster.yml'), 'utf8');
  await writeFile(path, written.replace(/server: .*/, `server: ${server}`));
  const env = { PATH: readEnvironment()['PATH'], HOME: directory, KUBECONFIG: path };
  const child = spawn('kubectl', args, { env, stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin?.end(input === undefined ? '' : JSON.stringify(input));
  return finish(child);
}

/** The programs under test are the compiled ones; `npm test` has built them, and nobody else may write there while it runs. */
export async function buildSandbox(): Promise<void> {
  if (readEnvironment()['CRATE_TEST_IS_BUILT'] === undefined) await run('tsc', ['-b', PACKAGE]);
}

/**
 * Simulated clusters over fake machines, with the control API, the real `rke` executable and real kubectl.
 * Three control-plane machines and two workers run; nothing is installed on them yet.
 */
export class TestBench {
  /** How long simulated work takes; nothing at first. */
  readonly latency = { scale: 0 };
  /** Awaited after each stage of a run. */
  holdStage: (run: 'up' | 'remove') => Promise<void> = () => Promise.resolve();
  private serving: { readonly clusters: SimulatedClusters; readonly api: ControlApi } | undefined;

  private constructor(
    readonly directory: string,
    readonly machines: FakeMachines,
    readonly port: number,
  ) {}

  get clusters(): SimulatedClusters {
    if (!this.serving) throw new Error('The bench does not run');
    return this.serving.clusters;
  }

  static async start(): Promise<TestBench> {
    const directory = await mkdtemp(join(tmpdir(), 'sandbox-'));
    const { privateKey } = generateKeyPairSync('ed25519');
    await writeFile(join(directory, 'ssh-key'), privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
    const machines = new FakeMachines(authorizedKeyOf(privateKey));
    for (const [index, address] of ['10.20.1.5', '10.20.1.6', '10.20.1.7'].entries()) {
      machines.add({ id: `i-control-${index}`, privateAddress: address });
    }
    machines.add({ id: 'i-worker-0', privateAddress: '10.20.2.5' });
    machines.add({ id: 'i-worker-1', privateAddress: '10.20.2.6' });
    const port = await freePort();
    machines.balance({ id: 'lb-1', address: '127.0.0.1', port });
    const bench = new TestBench(directory, machines, port);
    await bench.serve();
    return bench;
  }

  /** The five nodes of the machines it starts with. */
  nodes(): BenchNode[] {
    const control = [5, 6, 7].map((host, index) => ({
      name: `demo-control-plane-${index}`,
      address: `10.20.1.${host}`,
      role: ['controlplane', 'etcd'],
    }));
    const workers = [5, 6].map((host, index) => ({
      name: `demo-workers-${index}`,
      address: `10.20.2.${host}`,
      role: ['worker'],
    }));
    return [...control, ...workers];
  }

  /** Writes `cluster.yml`; `change` replaces parts of the usual one. */
  async configure(change: Readonly<Record<string, unknown>> = {}, nodes = this.nodes()): Promise<void> {
    const config = {
      cluster_name: 'demo',
      kubernetes_version: 'v1.31.4-rancher1-1',
      ssh_key_path: 'ssh-key',
      bastion_host: { address: this.machines.bastion, user: 'ubuntu' },
      nodes: nodes.map(({ name, ...node }) => ({ ...node, hostname_override: name, user: 'ubuntu' })),
      ingress: { provider: 'none' },
      ...change,
    };
    await writeFile(join(this.directory, 'cluster.yml'), stringify(config));
  }

  /** Runs the engine in the directory of `cluster.yml`. */
  async rke(...args: readonly string[]): Promise<Outcome> {
    return finish(this.startRke(...args));
  }

  /** A run of the engine that the test may kill. */
  startRke(...args: readonly string[]): ChildProcess {
    return startRke(this.directory, this.serving?.api.url ?? '', args);
  }

  /** Brings the usual cluster up; throws with the log when that fails. */
  async up(): Promise<void> {
    await this.configure();
    const { code, output } = await this.rke('up', '--config', 'cluster.yml');
    if (code !== 0) throw new Error(output);
  }

  kubectl(args: readonly string[], input?: unknown): Promise<Outcome> {
    return runKubectl(this.directory, `https://127.0.0.1:${this.port}`, args, input);
  }

  /** What kubectl printed; throws when it failed. */
  async kubectlSucceeds(args: readonly string[], input?: unknown): Promise<string> {
    const { code, output } = await this.kubectl(args, input);
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${output}`);
    return output;
  }

  /** Stops everything in order and starts it again from disk. */
  async restart(): Promise<void> {
    await this.stopServing();
    await this.serve();
  }

  /** What a process that is killed now would leave, taken up by another one. */
  async crash(): Promise<void> {
    const copy = await mkdtemp(join(tmpdir(), 'sandbox-crash-'));
    await cp(join(this.directory, 'clusters'), join(copy, 'clusters'), { recursive: true });
    await this.stopServing();
    await rm(join(this.directory, 'clusters'), { recursive: true });
    await cp(join(copy, 'clusters'), join(this.directory, 'clusters'), { recursive: true });
    await rm(copy, { recursive: true });
    await this.serve();
  }

  async stop(): Promise<void> {
    await this.stopServing();
    await rm(this.directory, { recursive: true, force: true });
  }

  private async stopServing(): Promise<void> {
    await this.serving?.api.close();
    await this.serving?.clusters.close();
  }

  private async serve(): Promise<void> {
    const { directory: dataDir, machines, latency } = this;
    const logger = new InMemoryLogger();
    const clusters = await startSimulatedClusters({
      ...{ dataDir, machines, logger },
      latencyScale: () => latency.scale,
      holdStage: (run) => this.holdStage(run),
    });
    const api = await startControlApi({ port: 0, logger, routes: [clusters.routes] });
    this.serving = { clusters, api };
  }
}

/** Everything a program printed, once it has ended. */
export async function finish(child: ChildProcess): Promise<Outcome> {
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
  child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
  const code = await new Promise<number>((resolve) => child.once('close', (status) => resolve(status ?? -1)));
  return { code, output };
}
