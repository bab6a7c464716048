import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { CratePlatform } from '@crate/testing';
import { parse } from 'yaml';
import type { CrateUser } from './crate-user.js';

const run = promisify(execFile);

interface Access {
  readonly server: string;
  readonly ca: string;
  readonly token: string;
}

/** What Terraform ended with. */
export interface TerraformEnd {
  readonly code: number;
  readonly output: string;
}

/** Terraform as it is sold, in a folder whose backend is the state of `team-a/demo` at the front door. */
export class StockTerraform {
  private constructor(
    readonly folder: string,
    private readonly access: Access,
    private readonly reattach: string,
    private readonly path: string | undefined,
  ) {}

  /** `path`: where programs are looked for. */
  static async open(platform: CratePlatform, user: CrateUser, path: string | undefined): Promise<StockTerraform> {
    const access = await accessOf(platform);
    const folder = join(platform.directory, 'break-glass');
    await mkdir(folder);
    const address = `${access.server}/terraform/team-a/demo`;
    const backend = { http: { address, lock_address: address, unlock_address: address } };
    await writeFile(join(folder, 'main.tf.json'), JSON.stringify({ terraform: { backend } }));
    return new StockTerraform(folder, access, await reattachOf(platform, user), path);
  }

  async run(...args: string[]): Promise<TerraformEnd> {
    const env = { ...this.env(), TF_INPUT: '0' };
    return run('terraform', [...args], { cwd: this.folder, env, maxBuffer: 1e8 }).then(
      ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
      (error: { code: number; stdout: string; stderr: string }) => ({
        code: error.code,
        output: error.stdout + error.stderr,
      }),
    );
  }

  /** Terraform that asks, and is not answered. */
  start(...args: string[]): ChildProcess {
    return spawn('terraform', args, { cwd: this.folder, env: this.env(), stdio: ['pipe', 'ignore', 'ignore'] });
  }

  /** One request of the protocol, as the person with the token. */
  async send(
    method: string,
    body?: unknown,
    { token = this.access.token, query = '' }: { token?: string; query?: string } = {},
  ): Promise<{ status: number; body: string }> {
    const url = new URL(`/terraform/team-a/demo${query}`, this.access.server);
    const headers = { authorization: `Basic ${Buffer.from(`anybody:${token}`).toString('base64')}` };
    return new Promise((resolve, reject) => {
      const call = request(url, { method, headers, ca: this.access.ca }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }));
      });
      call.on('error', reject);
      call.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  private env(): NodeJS.ProcessEnv {
    return {
      PATH: this.path,
      HOME: this.folder,
      CHECKPOINT_DISABLE: '1',
      TF_REATTACH_PROVIDERS: this.reattach,
      TF_HTTP_USERNAME: 'anybody',
      TF_HTTP_PASSWORD: this.access.token,
      TF_HTTP_CLIENT_CA_CERTIFICATE_PEM: this.access.ca,
    };
  }
}

async function accessOf(platform: CratePlatform): Promise<Access> {
  const kubeconfig = parse(await platform.kubeconfig()) as {
    clusters: { cluster: { server: string; 'certificate-authority-data': string } }[];
    users: { user: { token: string } }[];
  };
  const { cluster } = kubeconfig.clusters[0]!;
  return {
    server: cluster.server,
    ca: Buffer.from(cluster['certificate-authority-data'], 'base64').toString(),
    token: kubeconfig.users[0]!.user.token,
  };
}

/** The way to the simulated provider, which has no registry that Terraform could ask. */
async function reattachOf(platform: CratePlatform, user: CrateUser): Promise<string> {
  const sandbox = JSON.parse(await readFile(join(platform.directory, 'up.json'), 'utf8')) as { sandboxUrl: string };
  const accounts = await user.api.list('cloud.crate.dev/v1alpha1', 'CloudAccount', { namespace: 'team-a' });
  const { accountId } = (accounts.items[0] as unknown as { spec: { accountId: string } }).spec;
  const body = JSON.stringify({ account: accountId, region: 'us-east-1' });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(new URL('/v1/provider-sessions', sandbox.sandboxUrl), { method: 'POST', headers, body });
  return JSON.stringify(((await answer.json()) as { reattach: unknown }).reattach);
}
