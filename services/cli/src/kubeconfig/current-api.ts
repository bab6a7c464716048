import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { promisify } from 'node:util';
import { badRequest, unauthenticated, unavailable } from '@crate/errors';
import { ApiClient } from '../client/api-client.js';
import type { ApiAddress } from '../client/api-transport.js';
import { serverUrl } from '../client/server-url.js';
import { keptToken, type IssuedToken } from '../client/token-source.js';
import { readProcessEnvironment } from '../config.js';
import { EXIT_CODES } from '../exit-codes.js';
import { readGiven, readGivenText } from '../output/in-file.js';
import { MergedKubeconfig, type Found } from './merged-kubeconfig.js';

const run = promisify(execFile);
const EXEC_API = 'client.authentication.k8s.io/v1';

interface Context {
  readonly cluster?: string;
  readonly user?: string;
  readonly namespace?: string;
}

interface Cluster {
  readonly server: string;
  readonly 'certificate-authority'?: string;
  readonly 'certificate-authority-data'?: string;
  readonly 'tls-server-name'?: string;
}

interface User {
  readonly token?: string;
  readonly tokenFile?: string;
  readonly 'client-certificate'?: string;
  readonly 'client-certificate-data'?: string;
  readonly 'client-key'?: string;
  readonly 'client-key-data'?: string;
  readonly exec?: {
    readonly command: string;
    readonly args?: readonly string[];
    readonly env?: readonly { readonly name: string; readonly value: string }[];
  };
}

export interface ApiSelection {
  /** Merged as kubectl does. */
  readonly kubeconfigs: readonly string[];
  /** Absent: the current one. */
  readonly context?: string | undefined;
}

/** What a context of a kubeconfig names. */
export interface CurrentContext {
  readonly api: ApiClient;
  /** Absent: the context names none. */
  readonly namespace?: string | undefined;
  /** The file that has the context, its name, and its user. */
  readonly file: string;
  readonly context: string;
  readonly user: string;
  /** As it is at first. Absent: a certificate says who it is. */
  readonly token?: string | undefined;
}

/** How an API lets in, and the token that it begins with. */
interface Credential {
  readonly lets: Pick<ApiAddress, 'token' | 'cert' | 'key'>;
  readonly token?: string;
}

/** The API that a context of a kubeconfig names, as the person it names. */
export async function currentApi(selection: ApiSelection): Promise<ApiClient> {
  return (await currentContext(selection)).api;
}

/** As `currentApi`, with what else the context says. Throws BadRequest when there is none. */
export async function currentContext({ kubeconfigs, context }: ApiSelection): Promise<CurrentContext> {
  const files = await MergedKubeconfig.read(kubeconfigs);
  const name = context ?? files.currentContext ?? '';
  const found = files.find<Context>('contexts', name);
  if (!found) throw notFound(name === '' ? 'a current context' : `the context "${name}"`, kubeconfigs);
  const { cluster: clusterName = '', user: userName = '', namespace } = found.content;
  const cluster = files.find<Cluster>('clusters', clusterName);
  if (!cluster) throw notFound(`the cluster "${clusterName}" of the context "${name}"`, kubeconfigs);
  const user = files.find<User>('users', userName);
  if (!user) throw notFound(`the user "${userName}" of the context "${name}"`, kubeconfigs);
  const { token, lets } = await credentialOf(user.content, user.path);
  const api = new ApiClient({ ...(await addressOf(cluster)), ...lets });
  return { api, namespace, file: found.path, context: name, user: userName, token };
}

function notFound(what: string, kubeconfigs: readonly string[]): Error {
  const looked = kubeconfigs.map((path) => (existsSync(path) ? path : `${path}, which is not there`));
  const remedy = 'sign in with: crate login; or name a file with --kubeconfig, or a local platform with --data-dir';
  return badRequest(`No kubeconfig has ${what} (looked at ${looked.join('; ')}); ${remedy}`);
}

async function addressOf({ content, path }: Found<Cluster>): Promise<ApiAddress> {
  const ca = await pemOf(content, 'certificate-authority', path);
  return { server: serverUrl(content.server), servername: content['tls-server-name'], ca };
}

/** What stands in a kubeconfig as it is, or as a file beside it. */
async function pemOf<K extends string>(
  entry: { readonly [key in K | `${K}-data`]?: string },
  key: K,
  path: string,
): Promise<Buffer | undefined> {
  const [data, file] = [entry[`${key}-data`], entry[key]];
  if (data !== undefined) return Buffer.from(data, 'base64');
  return file === undefined ? undefined : readGiven(resolve(dirname(path), file));
}

async function credentialOf(user: User, path: string): Promise<Credential> {
  const [cert, key] = await Promise.all([pemOf(user, 'client-certificate', path), pemOf(user, 'client-key', path)]);
  if (cert && key) return { lets: { cert, key } };
  const first = await tokenOf(user, path);
  return { lets: { token: keptToken(first, async () => tokenOf(user, path)) }, token: first.token };
}

async function tokenOf(user: User, path: string): Promise<IssuedToken> {
  if (user.token !== undefined) return { token: user.token };
  if (user.tokenFile !== undefined) {
    return { token: (await readGivenText(resolve(dirname(path), user.tokenFile))).trim() };
  }
  if (user.exec) return askPlugin(user.exec);
  throw badRequest(`${path} has a user with neither a token, nor a certificate, nor a credential plugin`);
}

async function askPlugin({ command, args = [], env = [] }: NonNullable<User['exec']>): Promise<IssuedToken> {
  const info = { apiVersion: EXEC_API, kind: 'ExecCredential', spec: { interactive: false } };
  const own = Object.fromEntries(env.map(({ name, value }) => [name, value]));
  const environment = { ...readProcessEnvironment(), ...own, KUBERNETES_EXEC_INFO: JSON.stringify(info) };
  try {
    const { stdout } = await run(command, [...args], { env: environment });
    const { status } = JSON.parse(stdout) as { status: { token: string; expirationTimestamp?: string } };
    const { token, expirationTimestamp } = status;
    return { token, expiresAt: expirationTimestamp === undefined ? undefined : Date.parse(expirationTimestamp) };
  } catch (error) {
    const { stderr = '', code } = error as { stderr?: string; code?: unknown };
    const why = stderr.replace(/^crate: /, '').trim() || `${command} gives no credential`;
    // As crate itself ends: whoever waits goes on, the issuer was only away.
    const isAway = code === EXIT_CODES.unreachable || code === EXIT_CODES.timedOut;
    throw isAway ? unavailable(why, error) : unauthenticated(why, error);
  }
}
