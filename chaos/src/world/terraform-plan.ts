import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const CONFIGURATION = 'main.tf.json';
const TIMEOUT_MS = 60_000;
const ARGUMENTS = ['plan', '-input=false', '-no-color', '-lock=false', '-detailed-exitcode'];
const EMPTY = 0;
const CHANGES = 2;

export interface PlanRequest {
  readonly sandboxUrl: string;
  /** Directories of the Infrastructure, one for each host that may have worked on it; they are only read. */
  readonly workspaces: readonly string[];
  readonly state: Buffer;
  readonly account: string;
  readonly region: string;
}

/** What a plan would change, as Terraform prints it; undefined when that is nothing. Runs in a directory of its own. */
export async function planAgain(request: PlanRequest): Promise<string | undefined> {
  const directory = await mkdtemp(join(tmpdir(), 'chaos-plan-'));
  const { account, region, sandboxUrl } = request;
  const session = await call(sandboxUrl, 'POST', '/v1/provider-sessions', { account, region });
  try {
    await copyFile(await newestOf(request.workspaces), join(directory, CONFIGURATION));
    await writeFile(join(directory, 'terraform.tfstate'), request.state);
    return await plan(directory, JSON.stringify(session.reattach));
  } finally {
    await call(sandboxUrl, 'DELETE', `/v1/provider-sessions/${session.id}`);
    await rm(directory, { recursive: true, force: true });
  }
}

/** The configuration that was written last: what was asked for then. */
async function newestOf(workspaces: readonly string[]): Promise<string> {
  const files = workspaces.map((workspace) => join(workspace, CONFIGURATION));
  const times = await Promise.all(
    files.map((file) =>
      stat(file).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      ),
    ),
  );
  return files[times.indexOf(Math.max(...times))] ?? '';
}

async function plan(cwd: string, reattach: string): Promise<string | undefined> {
  const env = {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    HOME: cwd,
    CHECKPOINT_DISABLE: '1',
    TF_REATTACH_PROVIDERS: reattach,
  };
  return new Promise((resolve) => {
    const child = execFile('terraform', ARGUMENTS, { cwd, env, timeout: TIMEOUT_MS }, (_error, stdout, stderr) => {
      if (child.exitCode === EMPTY) resolve(undefined);
      else resolve(`${child.exitCode === CHANGES ? '' : 'Terraform fails: '}${stdout}${stderr}`);
    });
  });
}

interface Session {
  readonly id: string;
  readonly reattach: unknown;
}

async function call(url: string, method: string, path: string, body?: unknown): Promise<Session> {
  const content =
    body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  const response = await fetch(new URL(path, url), { method, ...content });
  const text = await response.text();
  if (!response.ok) throw new Error(`The sandbox answered ${response.status} to ${method} ${path}: ${text}`);
  return (text === '' ? {} : JSON.parse(text)) as Session;
}
