import type { JsonObject } from '@crate/api';
import { documents, type Content } from './operation.js';
import { PRETTY } from './parameters.js';
import { failuresOf, HEADERS } from './responses.js';

const PUBLIC = { security: [] };
const text = { type: 'string' };

interface Reading {
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly content: Content;
  readonly extra?: JsonObject;
}

function reading({ id, tag, summary, content, extra = {} }: Reading): JsonObject {
  const isPublic = 'security' in extra;
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...extra,
    ...('application/json' in content ? { parameters: [PRETTY] } : {}),
    responses: { 200: { description: 'OK', headers: HEADERS, content }, ...(isPublic ? {} : failuresOf([])) },
  };
}

const named = (kind: string, required: readonly string[], properties: JsonObject): JsonObject => ({
  type: 'object',
  required: ['kind', ...required],
  properties: { kind: { type: 'string', enum: [kind] }, apiVersion: text, ...properties },
});

const list = (items: JsonObject): JsonObject => ({ type: 'array', items });
const GROUP_VERSION: JsonObject = { type: 'object', properties: { groupVersion: text, version: text } };
const GROUP_FIELDS: JsonObject = { name: text, versions: list(GROUP_VERSION), preferredVersion: GROUP_VERSION };

const RESOURCE: JsonObject = {
  type: 'object',
  required: ['name', 'singularName', 'namespaced', 'kind', 'verbs'],
  properties: {
    ...{ name: text, singularName: text, kind: text, group: text, version: text },
    namespaced: { type: 'boolean' },
    ...{ verbs: list(text), shortNames: list(text), categories: list(text) },
  },
};

const GROUP = named('APIGroup', ['name', 'versions'], GROUP_FIELDS);
const GROUPS = named('APIGroupList', ['groups'], { groups: list({ type: 'object', properties: GROUP_FIELDS }) });
const RESOURCES = named('APIResourceList', ['groupVersion', 'resources'], {
  groupVersion: text,
  resources: list(RESOURCE),
});
const DISCOVERY: Content = {
  ...documents(GROUPS),
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList': {
    schema: named('APIGroupDiscoveryList', ['items'], { items: list({ type: 'object' }) }),
  },
};

const segment = (name: string): JsonObject => ({ name, in: 'path', required: true, schema: text });
const health = (id: string): JsonObject => ({
  get: reading({
    id,
    tag: 'server',
    summary: 'Whether the server answers',
    content: { 'text/plain': { schema: text } },
    extra: PUBLIC,
  }),
});

const VERSION: JsonObject = {
  type: 'object',
  required: ['major', 'minor', 'gitVersion'],
  properties: { major: text, minor: text, gitVersion: text },
};

/** Paths that are no kind's, with the document that they are described in. */
export interface ServerDocument {
  readonly path: string;
  readonly paths: JsonObject;
  readonly tags: readonly JsonObject[];
}

/** What every server tells about itself, by document. */
export const SERVER_DOCUMENTS: readonly ServerDocument[] = [
  {
    path: 'version',
    tags: [{ name: 'server', description: 'The version and the health of the server.' }],
    paths: {
      '/version': {
        get: reading({
          id: 'readVersion',
          tag: 'server',
          summary: 'Version of the API',
          content: documents(VERSION),
          extra: PUBLIC,
        }),
      },
      '/healthz': health('readHealthz'),
      '/livez': health('readLivez'),
      '/readyz': health('readReadyz'),
    },
  },
  {
    path: 'apis',
    tags: [{ name: 'discovery', description: 'What is served, found at run time.' }],
    paths: {
      '/apis': {
        get: reading({ id: 'listGroups', tag: 'discovery', summary: 'All API groups', content: DISCOVERY }),
      },
      '/apis/{group}': {
        parameters: [segment('group')],
        get: reading({ id: 'readGroup', tag: 'discovery', summary: 'One API group', content: documents(GROUP) }),
      },
      '/apis/{group}/{version}': {
        parameters: [segment('group'), segment('version')],
        get: reading({
          id: 'listResources',
          tag: 'discovery',
          summary: 'The resource types of a group in one version',
          content: documents(RESOURCES),
        }),
      },
    },
  },
];
