import { type KubeObject, type KubeObjectInput, isJsonObject } from '@crate/api';
import { badRequest, hasCode, type PlatformError } from '@crate/errors';
import type { PatchOptions, WriteResult } from '@crate/resource-client';
import { isStated } from '../../local-api/identity.js';
import { readDeleteOptions } from '../delete-body.js';
import { asObject } from '../document-shape.js';
import { type Exchange, flag, parameter } from '../exchange.js';
import { listOptions } from '../list-options.js';
import { patchTypeOf } from '../patch-types.js';
import { methodNotAllowed } from '../protocol-error.js';
import { deleteOptions, singleDeleteOptions, writeOptions } from '../query-options.js';
import type { OnDuplicates } from '../parse-text.js';
import { contentType, parseDocument, readBody, readDocument } from '../request-body.js';
import type { ResourcePath } from '../request-path.js';
import { sendRemoved } from './list-stream.js';
import { writeSubresource } from './subresource-writing.js';
import { refOf, type Target, typeOf } from './target.js';

/** `POST` to a collection. */
export async function create(target: Target): Promise<void> {
  const { exchange, path, route } = target;
  if (path.subresource !== undefined) return writeSubresource(target, 'create');
  if (path.name !== undefined) throw methodNotAllowed();
  const document = withNamespace(await readObject(exchange), path);
  const options = writeOptions(exchange.query, exchange.request);
  sendResult(target, await route.api.create(typeOf(path), document, options, exchange.context));
}

/** `PUT`. */
export async function update(target: Target): Promise<void> {
  const { exchange, path, route } = target;
  if (isOwnSubresource(target)) return writeSubresource(target, 'update');
  const document = await readObject(exchange);
  const options = { ...writeOptions(exchange.query, exchange.request), ...subresourceOf(path) };
  sendResult(target, await route.api.update(refOf(path), document, options, exchange.context));
}

/** `PATCH` in the format that the Content-Type names. */
export async function patch(target: Target): Promise<void> {
  const { exchange, path, route } = target;
  const { query, request } = exchange;
  if (isOwnSubresource(target)) return writeSubresource(target, 'patch');
  const mediaType = contentType(request);
  const type = patchTypeOf(route.kind, mediaType);
  const document = parseDocument(await readBody(request), mediaType, duplicatesOf(exchange));
  const { fieldManager: guessed, ...rest } = writeOptions(query, request);
  // An apply without a stated manager is refused: a name guessed from the client would own fields by accident.
  const fieldManager = parameter(query, 'fieldManager') ?? (type === 'apply' ? undefined : guessed);
  const manager = fieldManager === undefined ? {} : { fieldManager };
  const options = { ...rest, ...manager, ...subresourceOf(path), type, force: flag(query, 'force') };
  const write = type === 'apply' ? apply : patchLive;
  sendResult(target, await write(target, document, options));
}

function patchLive({ exchange, path, route }: Target, document: unknown, options: PatchOptions): Promise<WriteResult> {
  return route.api.patch(refOf(path), document, options, exchange.context);
}

/** The right to patch is one to change what is there; whoever brings an object into being needs the one to create, at that moment. */
async function apply(target: Target, document: unknown, options: PatchOptions): Promise<WriteResult> {
  try {
    return await patchLive(target, document, { ...options, mayCreate: false });
  } catch (error) {
    if (options.subresource !== undefined || !isAbsent(error, target)) throw error;
  }
  await target.authorize('create');
  return patchLive(target, document, options);
}

/** True when the object itself is what was not found, which stores call by its kind. */
function isAbsent(error: unknown, { path: { plural, name }, route }: Target): boolean {
  if (!hasCode(error, 'NotFound')) return false;
  const { kind = '', name: missing } = (error as PlatformError).details;
  return [plural, route.kind.kind].includes(kind) && missing === name;
}

/** True for a subresource that its owner answers by itself, as opposed to `status`. */
function isOwnSubresource({ path: { subresource } }: Target): boolean {
  return subresource !== undefined && subresource !== 'status';
}

/** `DELETE` of one object: the object while finalizers hold it, else a Status. */
export async function remove({ exchange, path, route, view }: Target): Promise<void> {
  if (path.subresource !== undefined) throw methodNotAllowed();
  const options = singleDeleteOptions(exchange.query, await readDeleteOptions(exchange.request));
  const { object: left, warnings } = await route.api.remove(refOf(path), options, exchange.context);
  exchange.respond.warn(warnings);
  const isStillThere = left.metadata.deletionTimestamp !== undefined && (left.metadata.finalizers ?? []).length > 0;
  exchange.respond.object(200, isStillThere ? view.object(left) : deleted(path, left));
}

/** `DELETE` of a collection. */
export async function removeCollection(target: Target): Promise<void> {
  const { exchange, path, route } = target;
  const options = deleteOptions(exchange.query, await readDeleteOptions(exchange.request));
  const selection = listOptions(exchange.query, path, route.kind);
  const removed = await route.api.removeCollection(typeOf(path), selection, options, exchange.context);
  sendRemoved(target, removed);
}

function sendResult({ exchange, view }: Target, { object, created, warnings }: WriteResult): void {
  exchange.respond.warn(warnings);
  exchange.respond.object(created ? 201 : 200, view.object(object));
}

async function readObject(exchange: Exchange): Promise<KubeObjectInput> {
  return asObject(await readDocument(exchange.request, duplicatesOf(exchange)));
}

/** What a field that is given twice leads to is for the client to say, as of unknown fields; by default it is refused. */
function duplicatesOf({ query, request, respond }: Exchange): OnDuplicates | undefined {
  const { fieldValidation = 'Strict' } = writeOptions(query, request);
  if (fieldValidation === 'Strict') return undefined;
  return (fields) => respond.warn(fieldValidation === 'Warn' ? fields : []);
}

/** The path names the namespace; a document may leave it out, null, or empty but not name another. */
function withNamespace(document: KubeObjectInput, { namespace }: ResourcePath): KubeObjectInput {
  const metadata = isJsonObject(document.metadata) ? document.metadata : {};
  if (namespace === undefined) return document;
  if (isStated(metadata.namespace) && metadata.namespace !== namespace) {
    const message = 'the namespace of the provided object does not match the namespace sent on the request';
    throw badRequest(`${message} (${String(metadata.namespace)} is not ${namespace})`);
  }
  return { ...document, metadata: { ...metadata, namespace } };
}

function subresourceOf({ subresource }: ResourcePath): { readonly subresource?: 'status' } {
  if (subresource === undefined) return {};
  if (subresource === 'status') return { subresource };
  throw methodNotAllowed();
}

function deleted({ group, plural, name }: ResourcePath, { metadata }: KubeObject): unknown {
  const details = { name, ...(group === '' ? {} : { group }), kind: plural, uid: metadata.uid };
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details };
}
