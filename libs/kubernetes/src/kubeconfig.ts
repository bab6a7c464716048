import { badRequest, notFound } from '@crate/errors';
import { parse, stringify } from 'yaml';

/** Credentials as a kubeconfig carries them. All PEM values are plain text, not base64. */
export type KubeconfigCredentials = { readonly cert: string; readonly key: string } | { readonly token: string };

export interface KubeconfigOptions {
  /** Names the cluster, the user and the context. */
  readonly name: string;
  /** `https://host:port`. */
  readonly server: string;
  /** PEM of the certificate authority; absent: the system's authorities. */
  readonly ca?: string;
  readonly credentials: KubeconfigCredentials;
  /** Of the context, for commands that name none; absent: `default`. */
  readonly namespace?: string;
}

interface Named {
  readonly name: string;
}

/** The file `kubectl` reads. Source: https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/ */
export interface Kubeconfig {
  readonly apiVersion: 'v1';
  readonly kind: 'Config';
  readonly clusters: readonly (Named & { readonly cluster: Readonly<Record<string, unknown>> })[];
  readonly users: readonly (Named & { readonly user: Readonly<Record<string, unknown>> })[];
  readonly contexts: readonly (Named & { readonly context: Readonly<Record<string, unknown>> })[];
  readonly 'current-context': string;
}

/** A kubeconfig with one cluster, one user and one context, all called `name`. */
export function kubeconfigFor(options: KubeconfigOptions): Kubeconfig {
  const { name, server, ca, credentials, namespace } = options;
  const user = userOf(credentials);
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name, cluster: { server, ...(ca === undefined ? {} : { 'certificate-authority-data': base64(ca) }) } },
    ],
    users: [{ name, user }],
    contexts: [{ name, context: { cluster: name, user: name, ...(namespace === undefined ? {} : { namespace }) } }],
    'current-context': name,
  };
}

/** The YAML text of a kubeconfig. */
export function formatKubeconfig(kubeconfig: Kubeconfig): string {
  // kubectl reads YAML 1.1, where a Project called n is no text.
  return stringify(kubeconfig, { compat: 'yaml-1.1', lineWidth: 0 });
}

/** Reads a kubeconfig's text. Throws BadRequest, never quoting the text, which holds credentials. */
export function parseKubeconfig(text: string): Kubeconfig {
  const document = readYaml(text);
  const lists = ['clusters', 'users', 'contexts'] as const;
  if (lists.some((list) => !Array.isArray(document[list])))
    throw badRequest('The kubeconfig lacks clusters, users or contexts');
  const current = document['current-context'];
  if (typeof current !== 'string' || current === '') throw badRequest('The kubeconfig names no current context');
  return { ...document, apiVersion: 'v1', kind: 'Config' } as unknown as Kubeconfig;
}

/**
 * The one cluster and user of the current context, renamed to `name` and pointed at `server`.
 * Engines write the address of one machine; clients are to go through the load balancer.
 */
export function kubeconfigForServer(kubeconfig: Kubeconfig, name: string, server: string): Kubeconfig {
  const { cluster, user } = currentEntries(kubeconfig);
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { ...cluster, server } }],
    users: [{ name, user }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  };
}

/** The same cluster, context and names, with other credentials of the current context's user, and without other users. */
export function kubeconfigForUser(kubeconfig: Kubeconfig, credentials: KubeconfigCredentials): Kubeconfig {
  const context = byName('context', kubeconfig.contexts, kubeconfig['current-context']).context;
  return { ...kubeconfig, users: [{ name: String(context['user']), user: userOf(credentials) }] };
}

/** What the current context points at. Throws NotFound when a name in it leads nowhere. */
export function currentEntries(kubeconfig: Kubeconfig): {
  readonly cluster: Readonly<Record<string, unknown>>;
  readonly user: Readonly<Record<string, unknown>>;
} {
  const context = byName('context', kubeconfig.contexts, kubeconfig['current-context']).context;
  return {
    cluster: byName('cluster', kubeconfig.clusters, String(context['cluster'])).cluster,
    user: byName('user', kubeconfig.users, String(context['user'])).user,
  };
}

function userOf(credentials: KubeconfigCredentials): Readonly<Record<string, unknown>> {
  if ('token' in credentials) return { token: credentials.token };
  return { 'client-certificate-data': base64(credentials.cert), 'client-key-data': base64(credentials.key) };
}

function readYaml(text: string): Record<string, unknown> {
  try {
    const document: unknown = parse(text);
    if (typeof document === 'object' && document !== null) return document as Record<string, unknown>;
  } catch {
    // The parser's message quotes the offending line, which may be a key.
  }
  throw badRequest('The kubeconfig is not a YAML document');
}

function byName<T extends Named>(what: string, entries: readonly T[], name: string): T {
  const found = entries.find((entry) => entry.name === name);
  if (!found) throw notFound(`kubeconfig ${what}`, name);
  return found;
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}
