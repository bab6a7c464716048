import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort, GuardedProcess } from '@crate/local-servers';
import { SandboxClient } from '@crate/sandbox/client';
import { eventually, type CratePlatform } from '@crate/testing';
import { usageOf } from '../processes/usage.js';

const run = promisify(execFile);
const STACK = 'main.tf.json';
const OUTPUT_BYTES = 64 * 1024 * 1024;
const COMMON = ['-input=false', '-no-color'];

/** Stacks that a platform made, in its own order, and the program that it applied them with. */
export interface Stacks {
  readonly files: readonly string[];
  readonly terraform: string;
  readonly path: string;
}

export interface BareRun {
  readonly seconds: number;
  readonly terraformSeconds: number;
  readonly cloudSeconds: number;
}

interface Provider {
  readonly region: string;
  readonly allowed_account_ids: readonly string[];
}

/** What cloud-mgmt left in its workspaces, and what it was told to run. */
export async function stacksOf(platform: CratePlatform): Promise<Stacks> {
  const workspaces = join(platform.directory, 'services', 'cloud-mgmt', 'workspaces', 'workspaces');
  const pid = (await platform.processes())['cloud-mgmt']?.pid;
  const environment = (await readFile(`/proc/${pid}/environ`, 'utf8')).split('\0');
  const told = (name: string): string =>
    environment.find((entry) => entry.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
  const files = (await readdir(workspaces)).map((name) => join(workspaces, name, STACK));
  return { files, terraform: told('CRATE_TERRAFORM_BINARY'), path: told('PATH') };
}

/**
 * Applies the stacks to an empty simulated cloud with nothing but Terraform: a plan and an apply of it for each, `parallelism` at a time, in the
 * environment that Crate gives it. No `init`: as for Crate, the provider is attached and there is nothing to install.
 */
export async function applyBare(
  { files, terraform, path }: Stacks,
  { parallelism, latency }: { readonly parallelism: number; readonly latency: number },
): Promise<BareRun> {
  const directory = await mkdtemp(join(tmpdir(), 'crate-bench-bare-'));
  const cloud = await startCloud(directory, path, latency);
  try {
    const workspaces = await Promise.all(files.map((file, index) => workspaceFor(file, join(directory, `${index}`))));
    const pids = { own: process.pid, cloud: cloud.pid };
    const before = await usageOf(pids);
    const startedAt = performance.now();
    const waiting = [...workspaces];
    const work = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
        await applyOne(cloud.client, next, { terraform, path });
    };
    await Promise.all(Array.from({ length: parallelism }, work));
    const seconds = (performance.now() - startedAt) / 1000;
    const after = await usageOf(pids);
    return {
      seconds,
      terraformSeconds: (after['own']?.endedChildrenSeconds ?? NaN) - (before['own']?.endedChildrenSeconds ?? NaN),
      cloudSeconds: (after['cloud']?.cpuSeconds ?? NaN) - (before['cloud']?.cpuSeconds ?? NaN),
    };
  } finally {
    await cloud.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

async function workspaceFor(file: string, directory: string): Promise<string> {
  await mkdir(directory);
  await copyFile(file, join(directory, STACK));
  return directory;
}

async function applyOne(
  cloud: SandboxClient,
  workspace: string,
  { terraform, path }: Pick<Stacks, 'terraform' | 'path'>,
): Promise<void> {
  const stack = JSON.parse(await readFile(join(workspace, STACK), 'utf8')) as {
    provider: { aws: readonly Provider[] };
  };
  const [{ region, allowed_account_ids: [account = ''] } = { region: '', allowed_account_ids: [] }] =
    stack.provider.aws;
  const { id, reattach } = await cloud.startProviderSession({ account, region });
  const env = {
    PATH: path,
    HOME: workspace,
    TF_IN_AUTOMATION: '1',
    TF_INPUT: '0',
    CHECKPOINT_DISABLE: '1',
    GOGC: '400', // As cloud-mgmt has it for this cloud.
    TF_REATTACH_PROVIDERS: JSON.stringify(reattach),
  };
  const options = { cwd: workspace, env, maxBuffer: OUTPUT_BYTES };
  await run(terraform, ['plan', ...COMMON, '-out=plan.tfplan'], options);
  await run(terraform, ['apply', ...COMMON, 'plan.tfplan'], options);
  await cloud.stopProviderSession(id);
}

interface Cloud {
  readonly pid: number;
  readonly client: SandboxClient;
  readonly stop: () => Promise<void>;
}

/** The sandbox as `crate up` starts it, with nothing in it. */
async function startCloud(directory: string, path: string, latency: number): Promise<Cloud> {
  const entry = createRequire(import.meta.url)
    .resolve('@crate/sandbox')
    .replace(/index\.js$/, 'main.js');
  const port = await freePort();
  const server = await GuardedProcess.start({
    command: process.execPath,
    args: [entry],
    directory,
    stopSignal: 'TERM',
    removesDirectory: false,
    env: {
      PATH: path,
      CRATE_SANDBOX_DATA_DIR: join(directory, 'sandbox'),
      CRATE_SANDBOX_PORT: String(port),
      CRATE_SANDBOX_LATENCY_SCALE: String(latency),
    },
  });
  const client = new SandboxClient(`http://127.0.0.1:${port}`);
  await eventually(() => client.listFaults(), { timeoutMs: 60_000 });
  return { pid: server.pid, client, stop: () => server.stop({ keepDirectory: true }) };
}
