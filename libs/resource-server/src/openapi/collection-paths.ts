import type { JsonObject } from '@crate/api';
import type { KindInfo } from '@crate/resource-client';
import { exampleOf } from './example.js';
import { documents, named, operation, type Content, type OperationInput } from './operation.js';
import {
  DELETE_PARAMETERS,
  LIST_PARAMETERS,
  PRETTY,
  SELECTION_PARAMETERS,
  WATCH_PARAMETERS,
  WRITE_PARAMETERS,
} from './parameters.js';
import { FAILURES_OF } from './responses.js';
import { reference, schemaName, SHARED } from './schema-names.js';
import type { Offers } from './offers.js';

/** What can be done to all objects of a kind in one place. */
export function collectionPath(kind: KindInfo, offers: Offers): JsonObject {
  return {
    ...(offers('list') || offers('watch') ? { get: listOperation(kind, '') } : {}),
    ...(offers('create') ? { post: createOperation(kind) } : {}),
    ...(offers('deletecollection') ? { delete: deleteOperation(kind) } : {}),
  };
}

/** `GET` of a collection; `suffix` keeps ids apart. */
export function listOperation(kind: KindInfo, suffix: string): JsonObject {
  const isWatched = kind.verbs === undefined || kind.verbs.includes('watch');
  const where = suffix === '' ? '' : ' of all namespaces';
  const common = { id: `list${suffix}`, action: 'list' };
  return operation(kind, { ...common, ...(isWatched ? listAndWatch(kind, where) : listOnly(kind, where)) });
}

type ListInput = Omit<OperationInput, 'id' | 'action'>;

function listAndWatch(kind: KindInfo, where: string): ListInput {
  const changes = { 'application/json;stream=watch': { schema: reference(SHARED.watchEvent) } };
  return {
    summary: `List or watch ${kind.plural}${where}`,
    description: 'One page of a consistent snapshot; with `watch=true` changes, one JSON document a line.',
    parameters: [...LIST_PARAMETERS, ...WATCH_PARAMETERS, PRETTY],
    answers: { 200: { description: 'A page, or the changes', content: { ...listContent(kind), ...changes } } },
    failures: FAILURES_OF.list,
  };
}

function listOnly(kind: KindInfo, where: string): ListInput {
  return {
    summary: `List ${kind.plural}${where}`,
    description: 'One page of a consistent snapshot. A watch is not offered (405).',
    parameters: [...LIST_PARAMETERS, PRETTY],
    answers: { 200: { description: 'A page', content: listContent(kind) } },
    failures: [...FAILURES_OF.list, 405],
  };
}

/** A list in the forms that `Accept` may ask for. */
export function listContent(kind: KindInfo): Content {
  return {
    ...named(`${schemaName(kind)}List`),
    'application/json;as=Table;g=meta.k8s.io;v=v1': { schema: reference(SHARED.table) },
    'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1': { schema: reference(SHARED.partialList) },
  };
}

function createOperation(kind: KindInfo): JsonObject {
  return operation(kind, {
    id: 'create',
    summary: `Create a ${kind.kind}`,
    action: 'post',
    parameters: [...WRITE_PARAMETERS, PRETTY],
    body: { required: true, content: named(schemaName(kind), exampleOf(kind)) },
    answers: { 201: { description: 'Created', content: named(schemaName(kind)) } },
    failures: FAILURES_OF.create,
  });
}

function deleteOperation(kind: KindInfo): JsonObject {
  return operation(kind, {
    id: 'deleteCollection',
    summary: `Delete ${kind.plural} that match`,
    description: 'Not atomic: what was asked to be deleted before a failure stays so.',
    action: 'deletecollection',
    parameters: [...SELECTION_PARAMETERS, ...DELETE_PARAMETERS, PRETTY],
    body: { required: false, content: documents(reference(SHARED.deleteOptions)) },
    answers: { 200: { description: 'What is deleted', content: listContent(kind) } },
    failures: [...FAILURES_OF.delete, 410],
  });
}
