import type { JsonObject } from '@crate/api';
import type { KindInfo } from '@crate/resource-client';
import { exampleOf } from './example.js';
import { documents, named, operation, type Content } from './operation.js';
import {
  DELETE_PARAMETERS,
  INCLUDE_OBJECT,
  OBJECT_WATCH_PARAMETERS,
  PATCH_PARAMETERS,
  PRECONDITION_PARAMETERS,
  PRETTY,
  WRITE_PARAMETERS,
} from './parameters.js';
import { FAILURES_OF } from './responses.js';
import { reference, schemaName, SHARED } from './schema-names.js';
import type { Offers } from './offers.js';

/** What can be done to one object. */
export function objectPath(kind: KindInfo, offers: Offers): JsonObject {
  return {
    ...(offers('get') ? { get: readOperation(kind, '', offers('watch')) } : {}),
    ...(offers('update') ? { put: replaceOperation(kind, '') } : {}),
    ...(offers('patch') ? { patch: patchOperation(kind, '') } : {}),
    ...(offers('delete') ? { delete: deleteOperation(kind) } : {}),
  };
}

/** What can be done to the status of one object. */
export function statusPath(kind: KindInfo, offers: Offers): JsonObject {
  return {
    ...(offers('get') ? { get: readOperation(kind, 'Status', false) } : {}),
    ...(offers('update') ? { put: replaceOperation(kind, 'Status') } : {}),
    ...(offers('patch') ? { patch: patchOperation(kind, 'Status') } : {}),
  };
}

function readOperation(kind: KindInfo, part: string, isWatched: boolean): JsonObject {
  const changes = { 'application/json;stream=watch': { schema: reference(SHARED.watchEvent) } };
  return operation(kind, {
    id: 'read',
    subject: kind.kind + part,
    summary: `Read ${part === '' ? '' : 'the status of '}a ${kind.kind}`,
    ...(isWatched ? { description: 'With `watch=true` its changes, one JSON document a line.' } : {}),
    action: 'get',
    parameters: [INCLUDE_OBJECT, ...(isWatched ? OBJECT_WATCH_PARAMETERS : []), PRETTY],
    answers: {
      200: { description: 'The object', content: { ...objectContent(kind), ...(isWatched ? changes : {}) } },
    },
    failures: isWatched ? [...FAILURES_OF.list, 405] : [...FAILURES_OF.get, 400, 405],
  });
}

function replaceOperation(kind: KindInfo, part: string): JsonObject {
  return operation(kind, {
    id: 'replace',
    subject: kind.kind + part,
    summary: `Replace ${part === '' ? '' : 'the status of '}a ${kind.kind}`,
    description: statusNote(part) ?? 'With `metadata.resourceVersion` it must still be the stored one.',
    action: 'put',
    parameters: [...WRITE_PARAMETERS, PRETTY],
    body: { required: true, content: named(schemaName(kind), exampleOf(kind)) },
    answers: { 200: { description: 'Replaced', content: objectContent(kind) } },
    failures: FAILURES_OF.update,
  });
}

function patchOperation(kind: KindInfo, part: string): JsonObject {
  const content = objectContent(kind);
  return operation(kind, {
    id: 'patch',
    subject: kind.kind + part,
    summary: `Change ${part === '' ? '' : 'the status of '}a ${kind.kind}`,
    description: statusNote(part) ?? 'Server-side apply also creates; it needs a `fieldManager`.',
    action: 'patch',
    parameters: [...PATCH_PARAMETERS, PRETTY],
    body: { required: true, content: patchContent(kind) },
    answers: {
      200: { description: 'Changed', content },
      ...(part === '' ? { 201: { description: 'Created by server-side apply', content } } : {}),
    },
    failures: FAILURES_OF.patch,
  });
}

function deleteOperation(kind: KindInfo): JsonObject {
  const own = reference(schemaName(kind));
  const answer = documents({ anyOf: [reference(SHARED.status), own] });
  return operation(kind, {
    id: 'delete',
    summary: `Delete a ${kind.kind}`,
    description: 'Answers with the object while finalizers hold it, and with a Status once it is gone.',
    action: 'delete',
    parameters: [...DELETE_PARAMETERS, ...PRECONDITION_PARAMETERS, PRETTY],
    body: { required: false, content: documents(reference(SHARED.deleteOptions)) },
    answers: { 200: { description: 'Deleted, or about to be', content: answer } },
    failures: FAILURES_OF.delete,
  });
}

function objectContent(kind: KindInfo): Content {
  return {
    ...named(schemaName(kind), exampleOf(kind)),
    'application/json;as=Table;g=meta.k8s.io;v=v1': { schema: reference(SHARED.table) },
    'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1': { schema: reference(SHARED.partialObject) },
  };
}

/**
 * NOTE: the strategic merge patch, which Kubernetes' own kinds do take, is left out: kubectl would then look for merge keys in
 * these schemas, which do not have them, in place of those it knows itself.
 */
function patchContent(kind: KindInfo): Content {
  const schema = reference(SHARED.patch);
  const merge = { metadata: { labels: { tier: 'web' } } };
  return {
    'application/json-patch+json': {
      schema,
      example: [{ op: 'add', path: '/metadata/labels', value: { tier: 'web' } }],
    },
    'application/merge-patch+json': { schema, example: merge },
    'application/apply-patch+yaml': { schema, example: exampleOf(kind) ?? merge },
  };
}

function statusNote(part: string): string | undefined {
  return part === '' ? undefined : 'Only the service that owns the kind may write the status.';
}
