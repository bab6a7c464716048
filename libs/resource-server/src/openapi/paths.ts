import type { KindInfo } from '@crate/resource-client';
import { formatApiVersion } from '@crate/api';
import type { JsonObject } from '../apply/json.js';
import { DELETE_OPTIONS, PATCH, reference, STATUS } from './metadata-schemas.js';
import { schemaName } from './schema-names.js';

const PATCH_TYPES = ['application/json-patch+json', 'application/merge-patch+json', 'application/apply-patch+yaml'];

const query = (name: string, type: string, description: string): JsonObject => ({
  name,
  in: 'query',
  description,
  schema: { type, uniqueItems: true },
});

const WRITE_PARAMETERS = [
  query('dryRun', 'string', '"All": nothing is stored'),
  query('fieldManager', 'string', 'Name under which the written fields are owned'),
  query('fieldValidation', 'string', 'What unknown fields lead to: Ignore, Warn or Strict'),
];

const LIST_PARAMETERS = [
  query('labelSelector', 'string', 'Only objects with these labels'),
  query('fieldSelector', 'string', 'Only objects with these fields'),
  query('limit', 'integer', 'Most objects in one answer'),
  query('continue', 'string', 'Token of the page before'),
  query('watch', 'boolean', 'Changes instead of a list'),
  query('resourceVersion', 'string', 'Changes after this version'),
  query('timeoutSeconds', 'integer', 'Ends a watch'),
];

const FORCE = query('force', 'boolean', 'Takes over fields that other managers own');

/** The paths of one kind. */
export function pathsOf(kind: KindInfo): Record<string, JsonObject> {
  const { group, version, plural, namespaced } = kind;
  const root = group === '' ? `/api/${version}` : `/apis/${formatApiVersion(group, version)}`;
  const collection = namespaced ? `${root}/namespaces/{namespace}/${plural}` : `${root}/${plural}`;
  const single = `${collection}/{name}`;
  const status = kind.hasStatus ? { [`${single}/status`]: objectPath(kind, `${kind.kind}Status`, false) } : {};
  return {
    ...(namespaced ? { [`${root}/${plural}`]: { get: listOperation(kind, 'AllNamespaces') } } : {}),
    [collection]: collectionPath(kind),
    [single]: objectPath(kind, kind.kind, true),
    ...status,
  };
}

function collectionPath(kind: KindInfo): JsonObject {
  return {
    ...pathParameters(kind, false),
    get: listOperation(kind, ''),
    post: operation(kind, {
      id: 'create',
      action: 'post',
      parameters: WRITE_PARAMETERS,
      body: ['*/*', schemaName(kind)],
    }),
    delete: operation(kind, {
      id: 'deleteCollection',
      action: 'deletecollection',
      parameters: LIST_PARAMETERS,
      answers: STATUS,
    }),
  };
}

function objectPath(kind: KindInfo, subject: string, isWhole: boolean): JsonObject {
  const own = schemaName(kind);
  const patch = { action: 'patch', parameters: [...WRITE_PARAMETERS, FORCE], patch: true };
  const remove = {
    id: 'delete',
    action: 'delete',
    parameters: WRITE_PARAMETERS,
    body: ['*/*', DELETE_OPTIONS] as const,
  };
  return {
    ...pathParameters(kind, true),
    get: operation(kind, { id: 'read', subject, action: 'get', parameters: [] }),
    put: operation(kind, { id: 'replace', subject, action: 'put', parameters: WRITE_PARAMETERS, body: ['*/*', own] }),
    patch: operation(kind, { id: 'patch', subject, ...patch }),
    ...(isWhole ? { delete: operation(kind, { ...remove, answers: STATUS }) } : {}),
  };
}

function listOperation(kind: KindInfo, suffix: string): JsonObject {
  const answers = `${schemaName(kind)}List`;
  return operation(kind, { id: `list${suffix}`, action: 'list', parameters: LIST_PARAMETERS, answers });
}

interface OperationInput {
  readonly id: string;
  readonly subject?: string;
  readonly action: string;
  readonly parameters: readonly JsonObject[];
  readonly body?: readonly [mediaType: string, schema: string];
  readonly patch?: boolean;
  readonly answers?: string;
}

function operation(kind: KindInfo, input: OperationInput): JsonObject {
  const { id, subject = kind.kind, action, parameters, body, patch, answers = schemaName(kind) } = input;
  const { group, version } = kind;
  const content = patch
    ? Object.fromEntries(PATCH_TYPES.map((type) => [type, { schema: reference(PATCH) }]))
    : body && { [body[0]]: { schema: reference(body[1]) } };
  return {
    operationId: `${id}_${group.replaceAll(/[^A-Za-z0-9]/g, '_')}_${version}_${subject}`,
    tags: [schemaName(kind).split('.').slice(0, -1).join('_')],
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': { group, version, kind: kind.kind },
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(content ? { requestBody: { required: true, content } } : {}),
    responses: { 200: { description: 'OK', content: { 'application/json': { schema: reference(answers) } } } },
  };
}

function pathParameters(kind: KindInfo, withName: boolean): JsonObject {
  const path = (name: string, description: string): JsonObject => ({
    name,
    in: 'path',
    required: true,
    description,
    schema: { type: 'string', uniqueItems: true },
  });
  return {
    parameters: [
      ...(kind.namespaced ? [path('namespace', 'Namespace of the object')] : []),
      ...(withName ? [path('name', 'Name of the object')] : []),
    ],
  };
}
