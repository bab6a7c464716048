import { isJsonObject } from '@crate/api';
import { stringify } from 'yaml';
import type { Json } from './api-document.js';
import type { FuzzRequest } from './request-arbitrary.js';

/** Kinds whose objects cost real work, so that only dry runs of them are sent. */
const COSTLY = new Set(['Infrastructure', 'KubernetesCluster', 'AddOnInstallation', 'Project', 'Policy', 'AddOn']);
const WRITES = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** Parts of a request, before they are put together. */
export interface Draft extends Omit<FuzzRequest, 'target' | 'body'> {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Puts a request together so that it ends in time and does not end the run. */
export function settle({ path, query, body, ...draft }: Draft): FuzzRequest {
  const { caller, operation, method, headers } = draft;
  const isWatch = query['watch'] !== undefined || operation.parameters.some(({ name }) => name === 'follow');
  const isHarmless = caller.isAdmin === true || COSTLY.has(operation.kind);
  const added = {
    ...query,
    ...(isWatch ? { timeoutSeconds: '1' } : {}),
    ...(isHarmless && WRITES.has(method) ? { dryRun: 'All' } : {}),
  };
  if ('follow' in added) delete (added as Record<string, string>)['follow'];
  const search = new URLSearchParams(wellFormed(added)).toString();
  const text = bodyText(body, headers['content-type'] ?? '', path);
  return {
    ...draft,
    target: search === '' ? path : `${path}?${search}`,
    headers: withToken(headers, caller.token),
    ...(text === undefined ? {} : { body: text }),
  };
}

function wellFormed(query: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => [name, Buffer.from(value).toString().slice(0, 2_000)]),
  );
}

function withToken(headers: Readonly<Record<string, string>>, token: string | undefined): Record<string, string> {
  return { ...headers, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) };
}

/** JSON patches of objects are lists; YAML is written where YAML is said. */
function bodyText(body: unknown, contentType: string, path: string): string | undefined {
  if (body === undefined || typeof body === 'string') return body;
  const document = named(body, path);
  if (contentType === 'application/json-patch+json') {
    return JSON.stringify([
      { op: 'add', path: '/metadata/labels', value: { a: 'b' } },
      { op: 'replace', path: '/spec', value: (document as Json)['spec'] ?? {} },
    ]);
  }
  return contentType === 'application/yaml' ? stringify(document) : JSON.stringify(document);
}

/** Objects are named as their path has it, belong to an account that exists, and wait for nothing to be built. */
function named(body: unknown, path: string): unknown {
  const { metadata, spec, kind } = (body ?? {}) as { metadata?: Json; spec?: Json; kind?: unknown };
  if (!isJsonObject(metadata) || !('name' in metadata)) return body;
  const [, project] = /\/namespaces\/([^/]+)\//.exec(path) ?? [];
  const name = nameIn(path) ?? `fuzz-${JSON.stringify(body).length % 12}`;
  const place = project === undefined ? {} : { namespace: project };
  const waiting = kind === 'Cluster' && isJsonObject(spec) ? { spec: { ...spec, paused: spec['paused'] ?? true } } : {};
  return { ...(body as Json), metadata: { ...metadata, name, ...place }, ...waiting };
}

/** Paths of collections end in a plural, which no name here does. */
function nameIn(path: string): string | undefined {
  const [, last] = /\/[a-z]+\/([a-z0-9-]+)(?:\/[a-z]+)?$/.exec(path) ?? [];
  return path.endsWith('s') ? undefined : last;
}
