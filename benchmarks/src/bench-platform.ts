import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { HttpTargetCluster, type TargetCluster } from '@crate/kubernetes';
import { freePort } from '@crate/testing';

const run = promisify(execFile);
const CLI = fileURLToPath(new URL('../../services/cli/dist/main.js', import.meta.url));
const START_TIMEOUT_MS = 240_000;

/** A whole platform of its own, with a sandbox that takes no time, started as a person would start it. */
export class BenchPlatform {
  private constructor(
    private readonly directory: string,
    /** Crate's own API. */
    readonly api: TargetCluster,
    private readonly healthUrls: Readonly<Record<string, string>>,
  ) {}

  static async start(): Promise<BenchPlatform> {
    const directory = await mkdtemp(join(tmpdir(), 'crate-bench-'));
    try {
      const port = String(await freePort());
      await crate(['up', '--data-dir', directory, '--port', port, '--no-example', '--detach']);
      await crate(['sandbox', 'latency', '--data-dir', directory, '--zero']);
      const kubeconfig = await readFile(join(directory, 'admin.kubeconfig'), 'utf8');
      const record = JSON.parse(await readFile(join(directory, 'up.json'), 'utf8')) as RunRecord;
      const urls = Object.entries(record.processes).map(([name, { healthUrl = '' }]) => [name, healthUrl] as const);
      return new BenchPlatform(directory, new HttpTargetCluster(kubeconfig), Object.fromEntries(urls));
    } catch (error) {
      await stop(directory);
      throw error;
    }
  }

  /** Sum over all series of a metric of one service, such as `crate_terraform_run_seconds_sum`. */
  async metric(service: string, name: string): Promise<number> {
    const text = await (await fetch(`${this.healthUrls[service]}/metrics`)).text();
    const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
    return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
  }

  async stop(): Promise<void> {
    await stop(this.directory);
  }
}

interface RunRecord {
  readonly processes: Readonly<Record<string, { readonly healthUrl?: string }>>;
}

async function crate(args: readonly string[]): Promise<void> {
  await run(process.execPath, [CLI, ...args], { timeout: START_TIMEOUT_MS });
}

async function stop(directory: string): Promise<void> {
  await crate(['down', '--data-dir', directory]);
  await rm(directory, { recursive: true, force: true });
}
