import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { promisify } from 'node:util';
import { badRequest, unauthenticated } from '@crate/errors';
import { ApiClient } from '../client/api-client.js';
import { readProcessEnvironment } from '../config.js';
import { KubeconfigFile } from './kubeconfig-file.js';

const run = promisify(execFile);
const EXEC_API = 'client.authentication.k8s.io/v1';

interface Cluster {
  readonly server: string;
  readonly 'certificate-authority'?: string;
  readonly 'certificate-authority-data'?: string;
}

interface User {
  readonly token?: string;
  readonly tokenFile?: string;
  readonly exec?: {
    readonly command: string;
    readonly args?: readonly string[];
    readonly env?: readonly { readonly name: string; readonly value: string }[];
  };
}

export interface ApiSelection {
  /** In the order they are looked at. */
  readonly kubeconfigs: readonly string[];
  /** Absent: the current one. */
  readonly context?: string | undefined;
}

/** The API that a context of a kubeconfig names, as the person it names. */
export async function currentApi({ kubeconfigs, context }: ApiSelection): Promise<ApiClient> {
  for (const path of kubeconfigs) {
    const file = await KubeconfigFile.read(path);
    const name = context ?? file.currentContext ?? '';
    const found = file.find<{ cluster: string; user: string }>('contexts', name);
    const cluster = found && file.find<Cluster>('clusters', found.cluster);
    const user = found && file.find<User>('users', found.user);
    if (!cluster || !user) continue;
    return new ApiClient({ server: cluster.server, ca: await caOf(cluster, path), token: await tokenOf(user, path) });
  }
  const what = context === undefined ? 'a current context' : `the context "${context}"`;
  const remedy = 'sign in with: crate login; or name a file with --kubeconfig, or a local platform with --data-dir';
  throw badRequest(`No kubeconfig has ${what} (looked at ${kubeconfigs.join(', ')}); ${remedy}`);
}

async function caOf(cluster: Cluster, path: string): Promise<Buffer | undefined> {
  const { 'certificate-authority-data': data, 'certificate-authority': file } = cluster;
  if (data !== undefined) return Buffer.from(data, 'base64');
  return file === undefined ? undefined : readFile(resolve(dirname(path), file));
}

async function tokenOf(user: User, path: string): Promise<string> {
  if (user.token !== undefined) return user.token;
  if (user.tokenFile !== undefined) return (await readFile(resolve(dirname(path), user.tokenFile), 'utf8')).trim();
  if (user.exec) return askPlugin(user.exec);
  throw badRequest(`${path} has a user with neither a token nor a credential plugin`);
}

async function askPlugin({ command, args = [], env = [] }: NonNullable<User['exec']>): Promise<string> {
  const info = { apiVersion: EXEC_API, kind: 'ExecCredential', spec: { interactive: false } };
  const own = Object.fromEntries(env.map(({ name, value }) => [name, value]));
  const environment = { ...readProcessEnvironment(), ...own, KUBERNETES_EXEC_INFO: JSON.stringify(info) };
  try {
    const { stdout } = await run(command, [...args], { env: environment });
    return (JSON.parse(stdout) as { status: { token: string } }).status.token;
  } catch (error) {
    const { stderr = '' } = error as { stderr?: string };
    throw unauthenticated(stderr.replace(/^crate: /, '').trim() || `${command} gives no credential`, error);
  }
}
