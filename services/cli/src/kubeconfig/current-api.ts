import { existsSync } from 'node:fs';
import { badRequest } from '@crate/errors';
import { ApiClient } from '../client/api-client.js';
import type { ApiAddress } from '../client/api-transport.js';
import { serverUrl } from '../client/server-url.js';
import { MergedKubeconfig, type Found } from './merged-kubeconfig.js';
import { pemOf, requireAuthority } from './pem.js';
import { credentialOf, type KubeconfigUser } from './user-credential.js';

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

/** The API that a context of a kubeconfig names, as the person it names. */
export async function currentApi(selection: ApiSelection): Promise<ApiClient> {
  return (await currentContext(selection)).api;
}

/** As `currentApi`, with what else the context says. Throws BadRequest when there is none, or none that can be used. */
export async function currentContext({ kubeconfigs, context }: ApiSelection): Promise<CurrentContext> {
  const files = await MergedKubeconfig.read(kubeconfigs);
  const name = context ?? files.currentContext ?? '';
  const found = files.find<Context>('contexts', name);
  if (!found) throw notFound(name === '' ? 'a current context' : `the context "${name}"`, kubeconfigs);
  const { cluster: clusterName = '', user: userName = '', namespace } = found.content;
  const cluster = files.find<Cluster>('clusters', clusterName);
  if (!cluster) throw notFound(`the cluster "${clusterName}" of the context "${name}"`, kubeconfigs);
  const user = files.find<KubeconfigUser>('users', userName);
  if (!user) throw notFound(`the user "${userName}" of the context "${name}"`, kubeconfigs);
  const { token, lets } = await credentialOf(user, userName);
  const api = new ApiClient({ ...(await addressOf(cluster, clusterName)), ...lets });
  return { api, namespace, file: found.path, context: name, user: userName, token };
}

function notFound(what: string, kubeconfigs: readonly string[]): Error {
  const looked = kubeconfigs.map((path) => (existsSync(path) ? path : `${path}, which is not there`));
  const remedy = 'sign in with: crate login; or name a file with --kubeconfig, or a local platform with --data-dir';
  return badRequest(`No kubeconfig has ${what} (looked at ${looked.join('; ')}); ${remedy}`);
}

async function addressOf({ content, path }: Found<Cluster>, name: string): Promise<ApiAddress> {
  const ca = await pemOf(content, 'certificate-authority', path);
  if (ca) requireAuthority(ca, `the cluster "${name}" in ${path}`);
  return { server: serverUrl(content.server), servername: content['tls-server-name'], ca };
}
