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
  /** Of the object that the path is about, where it is one that can be. */
  readonly name?: string;
  /** The path is about what the world has to keep, so that those who come later meet it, too. */
  readonly isKept: boolean;
  readonly query: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Puts a request together so that it ends in time and does not end the run. */
export function settle({ path, name, isKept, query, body, ...draft }: Draft): FuzzRequest {
  const { caller, operation, method, headers } = draft;
  const isHarmless = isKept || caller.isAdmin === true || COSTLY.has(operation.kind);
  const search = searchOf(query, operation, isHarmless && WRITES.has(method));
  const text = bodyText(
    // What the body of a deletion says of it holds before what the query does.
    isHarmless && method === 'DELETE' && isJsonObject(body) ? { ...body, dryRun: ['All'] } : body,
    headers['content-type'] ?? '',
    { path, name },
  );
  return {
    ...draft,
    target: search === '' ? path : `${path}?${search}`,
    headers: withToken(headers, caller.token),
    ...(text === undefined ? {} : { body: text }),
  };
}

/** What follows ends after a second. */
function searchOf(query: Draft['query'], operation: Draft['operation'], isDry: boolean): string {
  const { follow, ...stated } = query;
  const isWatch =
    follow !== undefined || query['watch'] !== undefined || operation.parameters.some(({ name }) => name === 'follow');
  const added = { ...stated, ...(isWatch ? { timeoutSeconds: '1' } : {}), ...(isDry ? { dryRun: 'All' } : {}) };
  return new URLSearchParams(wellFormed(added)).toString();
}

function wellFormed(query: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => [name, Buffer.from(value).toString().slice(0, 2_000)]),
  );
}

function withToken(headers: Readonly<Record<string, string>>, token: string | undefined): Record<string, string> {
  return { ...headers, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) };
}

type Place = Pick<Draft, 'path'> & { readonly name: string | undefined };

/** JSON patches of objects are lists; YAML is written where YAML is said. */
function bodyText(body: unknown, contentType: string, place: Place): string | undefined {
  if (body === undefined || typeof body === 'string') return body;
  const document = named(body, place);
  if (contentType === 'application/json-patch+json') {
    return JSON.stringify([
      { op: 'add', path: '/metadata/labels', value: { a: 'b' } },
      { op: 'replace', path: '/spec', value: (document as Json)['spec'] ?? {} },
    ]);
  }
  return contentType === 'application/yaml' ? stringify(document) : JSON.stringify(document);
}

/** Objects are named as their path has it, belong to an account that exists, and wait for nothing to be built. */
function named(body: unknown, { path, name: stated }: Place): unknown {
  const { metadata, spec, kind } = (body ?? {}) as { metadata?: Json; spec?: Json; kind?: unknown };
  if (!isJsonObject(metadata) || !('name' in metadata)) return body;
  const [, project] = /\/namespaces\/([^/]+)\//.exec(path) ?? [];
  const name = stated ?? `fuzz-${JSON.stringify(body).length % 12}`;
  const place = project === undefined ? {} : { namespace: project };
  const own = isJsonObject(spec) ? harmlessSpec(kind, spec) : {};
  return { ...(body as Json), metadata: { ...metadata, name, ...place }, ...own };
}

/** Nothing is built, and no cloud but the simulated one is asked whether credentials are right. */
function harmlessSpec(kind: unknown, spec: Json): { readonly spec?: Json } {
  if (kind === 'Cluster') return { spec: { ...spec, paused: spec['paused'] ?? true } };
  return kind === 'CloudAccount' && spec['provider'] === 'aws' ? { spec: { ...spec, provider: 'sandbox-aws' } } : {};
}
