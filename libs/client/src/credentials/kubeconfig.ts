import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { badRequest } from '@crate/errors';
import { parse } from 'yaml';
import type { ClientOptions } from '../transport/transport.js';
import { staticToken, type Credentials } from './credentials.js';
import { ExecPlugin, type ExecPluginConfig } from './exec-plugin.js';
import { TokenFile } from './token-file.js';

interface Cluster {
  readonly server: string;
  readonly 'certificate-authority'?: string;
  readonly 'certificate-authority-data'?: string;
  readonly 'insecure-skip-tls-verify'?: boolean;
  readonly 'tls-server-name'?: string;
}

interface User {
  readonly token?: string;
  readonly tokenFile?: string;
  readonly exec?: ExecPluginConfig;
  readonly 'client-certificate'?: string;
  readonly 'client-certificate-data'?: string;
  readonly 'client-key'?: string;
  readonly 'client-key-data'?: string;
}

interface Kubeconfig {
  readonly 'current-context'?: string;
  readonly contexts?: readonly {
    readonly name: string;
    readonly context: { cluster: string; user: string; namespace?: string };
  }[];
  readonly clusters?: readonly { readonly name: string; readonly cluster: Cluster }[];
  readonly users?: readonly { readonly name: string; readonly user: User }[];
}

/** What a kubeconfig says of one context. */
export interface KubeconfigContext extends ClientOptions {
  /** The Project of the context, when it names one. */
  readonly namespace?: string;
}

/** Nothing is read from the environment of the process itself. */
export interface KubeconfigOptions {
  /** Default: the current one. */
  readonly context?: string;
  /** The environment of exec plugins. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Reads a kubeconfig as kubectl does; throws BadRequest, naming what it lacks. */
export async function readKubeconfig(path: string, options: KubeconfigOptions): Promise<KubeconfigContext> {
  const config = (parse(await readFile(path, 'utf8')) ?? {}) as Kubeconfig;
  const { cluster, user, namespace } = selected(config, path, options.context);
  const base = dirname(path);
  const credentials = credentialsOf(user, base, options);
  return {
    server: cluster.server,
    ...(await tlsOf(cluster, user, base)),
    ...(credentials ? { credentials } : {}),
    ...(namespace === undefined ? {} : { namespace }),
  };
}

interface Selected {
  readonly cluster: Cluster;
  readonly user: User;
  readonly namespace?: string | undefined;
}

function selected(config: Kubeconfig, path: string, wanted = config['current-context'] ?? ''): Selected {
  const context = config.contexts?.find(({ name }) => name === wanted)?.context;
  if (!context) throw badRequest(`${path} has no context ${JSON.stringify(wanted)}`);
  const cluster = config.clusters?.find(({ name }) => name === context.cluster)?.cluster;
  if (!cluster?.server) throw badRequest(`${path} has no cluster ${JSON.stringify(context.cluster)}`);
  const user = config.users?.find(({ name }) => name === context.user) ?? { user: {} };
  return { cluster, user: user.user, namespace: context.namespace };
}

async function tlsOf(cluster: Cluster, user: User, base: string): Promise<Partial<ClientOptions>> {
  const ca = await content(cluster['certificate-authority-data'], cluster['certificate-authority'], base);
  const certificate = await content(user['client-certificate-data'], user['client-certificate'], base);
  const key = await content(user['client-key-data'], user['client-key'], base);
  const tlsServerName = cluster['tls-server-name'];
  return {
    ...(tlsServerName ? { tlsServerName } : {}),
    ...(ca ? { ca } : {}),
    ...(certificate && key ? { clientCertificate: { certificate, key } } : {}),
    ...(cluster['insecure-skip-tls-verify'] === true ? { insecureSkipTlsVerify: true } : {}),
  };
}

function credentialsOf(
  { token, tokenFile, exec }: User,
  base: string,
  { environment }: KubeconfigOptions,
): Credentials | undefined {
  if (exec) {
    // A command with a path in it is meant relative to the file that names it; a bare one is looked up.
    const command = exec.command.includes('/') ? resolve(base, exec.command) : exec.command;
    return new ExecPlugin({ ...exec, command }, environment);
  }
  if (tokenFile !== undefined) return new TokenFile(resolve(base, tokenFile));
  return token === undefined ? undefined : staticToken(token);
}

async function content(data: string | undefined, file: string | undefined, base: string): Promise<Buffer | undefined> {
  if (data !== undefined) return Buffer.from(data, 'base64');
  return file === undefined ? undefined : readFile(resolve(base, file));
}
