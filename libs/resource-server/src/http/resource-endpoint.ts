import type { KubeObject, KubeObjectInput } from '@crate/api';
import { badRequest } from '@crate/errors';
import type { ResourceRef, ResourceRouter, ResourceType, Route, WriteResult } from '@crate/resource-client';
import type { Logger } from '@crate/telemetry';
import { isObject } from '../apply/json.js';
import type { Authorize, Verb } from './authorization.js';
import { readDeleteOptions } from './delete-body.js';
import { type Exchange, flag, parameter } from './exchange.js';
import { negotiate } from './negotiate.js';
import { patchTypeOf } from './patch-types.js';
import { methodNotAllowed, pathNotFound } from './protocol-error.js';
import { deleteOptions, listOptions, watchOptions, writeOptions } from './query-options.js';
import { contentType, parseDocument, readBody, readDocument } from './request-body.js';
import type { ResourcePath } from './request-path.js';
import { fromScale, SCALE, toScale } from './scale.js';
import { includeObjectOf, ObjectView } from './view.js';
import { streamWatch } from './watch-stream.js';

/** Watches without a stated end are ended after this long, plus up to as much again, so that not all return at once. */
const WATCH_TIMEOUT_MS = 30 * 60_000;

export interface ResourceEndpointOptions {
  readonly router: ResourceRouter;
  readonly authorize: Authorize;
  readonly logger: Logger;
  readonly now: () => Date;
}

interface Target {
  readonly exchange: Exchange;
  readonly path: ResourcePath;
  readonly route: Route;
  readonly view: ObjectView;
}

/** Answers requests to resource paths. */
export class ResourceEndpoint {
  constructor(private readonly options: ResourceEndpointOptions) {}

  async handle(exchange: Exchange, path: ResourcePath): Promise<void> {
    const route = this.options.router.find(path.group, path.version, path.plural);
    if (!route || !fitsScope(route, path)) throw pathNotFound();
    const verb = verbOf(exchange, path);
    await this.authorize(exchange, path, verb);
    const { view, format } = negotiate(exchange.request.headers.accept);
    if (verb === 'watch' && format !== 'json') throw badRequest('a watch is sent as JSON only');
    const shown = { view, includeObject: includeObjectOf(exchange.query), now: this.options.now };
    await this.answer(verb, { exchange, path, route, view: new ObjectView(route.kind, shown) });
  }

  private authorize({ context }: Exchange, path: ResourcePath, verb: Verb): Promise<void> {
    const { plural: resource, ...attributes } = path;
    return this.options.authorize(context.caller, { ...attributes, resource, verb });
  }

  private answer(verb: Verb, target: Target): Promise<void> {
    switch (verb) {
      case 'get':
        return get(target);
      case 'list':
        return list(target);
      case 'watch':
        return this.watch(target);
      case 'create':
        return create(target);
      case 'update':
        return update(target);
      case 'patch':
        return patch(target);
      case 'delete':
        return remove(target);
      case 'deletecollection':
        return removeCollection(target);
    }
  }

  private watch({ exchange, path, route, view }: Target): Promise<void> {
    const { query, context, response } = exchange;
    const timeoutMs = Math.round(WATCH_TIMEOUT_MS * (1 + Math.random()));
    const options = { timeoutMs, ...watchOptions(query, path) };
    return streamWatch({
      response,
      events: route.api.watch(typeOf(path), options, context),
      signal: context.signal,
      show: (event) => view.event(event),
      onError: (error) => this.options.logger.debug('Watch failed', { error, path: exchange.path }),
    });
  }
}

async function get(target: Target): Promise<void> {
  const { exchange, path, route, view } = target;
  const { respond, context } = exchange;
  if (isScale(target)) return respond.object(200, toScale(await route.api.get(refOf(path), context)));
  const { subresource } = path;
  if (subresource === undefined || subresource === 'status') {
    return respond.object(200, view.object(await route.api.get(refOf(path), context)));
  }
  const content = await route.api.readSubresource(refOf(path), subresource, context);
  if (typeof content !== 'string') return respond.object(200, content);
  return respond.text(
    200,
    content,
    /^(apiVersion|kind): /.test(content) ? 'application/yaml' : 'text/plain; charset=utf-8',
  );
}

async function list({ exchange, path, route, view }: Target): Promise<void> {
  const page = await route.api.list(typeOf(path), listOptions(exchange.query, path), exchange.context);
  exchange.respond.object(200, view.list(page));
}

async function create(target: Target): Promise<void> {
  const { exchange, path, route } = target;
  if (path.name !== undefined) throw methodNotAllowed();
  const document = withNamespace(await readObject(exchange), path);
  const options = writeOptions(exchange.query, exchange.request);
  sendResult(target, await route.api.create(typeOf(path), document, options, exchange.context));
}

async function update(target: Target): Promise<void> {
  const { exchange, path, route } = target;
  if (isScale(target)) return scale(target);
  const document = await readObject(exchange);
  const options = { ...writeOptions(exchange.query, exchange.request), ...subresourceOf(path) };
  sendResult(target, await route.api.update(refOf(path), document, options, exchange.context));
}

async function patch(target: Target): Promise<void> {
  const { exchange, path, route } = target;
  if (isScale(target)) return scale(target);
  const mediaType = contentType(exchange.request);
  const type = patchTypeOf(route.kind, mediaType);
  const document = parseDocument(await readBody(exchange.request), mediaType);
  const written = writeOptions(exchange.query, exchange.request);
  const { fieldManager: _guessed, ...unnamed } = written;
  const named = type !== 'apply' || parameter(exchange.query, 'fieldManager') ? written : unnamed;
  const options = { ...named, ...subresourceOf(path), type, force: flag(exchange.query, 'force') };
  sendResult(target, await route.api.patch(refOf(path), document, options, exchange.context));
}

function isScale({ path, route }: Target): boolean {
  return path.subresource === SCALE && route.kind.subresources.includes(SCALE);
}

async function scale({ exchange, path, route }: Target): Promise<void> {
  const mediaType = contentType(exchange.request);
  const document = parseDocument(await readBody(exchange.request), mediaType);
  const options = { ...writeOptions(exchange.query, exchange.request), type: 'merge' as const };
  const { object } = await route.api.patch(refOf(path), fromScale(document), options, exchange.context);
  exchange.respond.object(200, toScale(object));
}

async function remove({ exchange, path, route, view }: Target): Promise<void> {
  if (path.subresource !== undefined) throw methodNotAllowed();
  const options = deleteOptions(exchange.query, await readDeleteOptions(exchange.request));
  const left = await route.api.remove(refOf(path), options, exchange.context);
  const isStillThere = left.metadata.deletionTimestamp !== undefined && (left.metadata.finalizers ?? []).length > 0;
  exchange.respond.object(200, isStillThere ? view.object(left) : deleted(path, left));
}

async function removeCollection({ exchange, path, route, view }: Target): Promise<void> {
  const options = deleteOptions(exchange.query, await readDeleteOptions(exchange.request));
  const selection = listOptions(exchange.query, path);
  const removed = await route.api.removeCollection(typeOf(path), selection, options, exchange.context);
  exchange.respond.object(200, view.list(removed));
}

function sendResult({ exchange, view }: Target, { object, created, warnings }: WriteResult): void {
  exchange.respond.warn(warnings);
  exchange.respond.object(created ? 201 : 200, view.object(object));
}

function verbOf({ method, query }: Exchange, { name }: ResourcePath): Verb {
  switch (method) {
    case 'GET':
      if (flag(query, 'watch')) return 'watch';
      return name === undefined ? 'list' : 'get';
    case 'POST':
      return 'create';
    case 'PUT':
    case 'PATCH':
      if (name === undefined) throw methodNotAllowed();
      return method === 'PUT' ? 'update' : 'patch';
    case 'DELETE':
      return name === undefined ? 'deletecollection' : 'delete';
    default:
      throw methodNotAllowed();
  }
}

/** Objects of a namespaced kind are reached through their namespace only; lists of them also across all. */
function fitsScope({ kind }: Route, { namespace, name }: ResourcePath): boolean {
  if (!kind.namespaced) return namespace === undefined;
  return namespace !== undefined || name === undefined;
}

async function readObject(exchange: Exchange): Promise<KubeObjectInput> {
  const document = await readDocument(exchange.request);
  if (!isObject(document)) throw badRequest('the request body must be an object');
  return document as KubeObjectInput;
}

function withNamespace(document: KubeObjectInput, { namespace }: ResourcePath): KubeObjectInput {
  const metadata = isObject(document.metadata) ? document.metadata : {};
  if (namespace === undefined) {
    if (metadata.namespace) throw badRequest('a namespaced object is created through the path of its namespace');
    return document;
  }
  if (metadata.namespace !== undefined && metadata.namespace !== namespace) {
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

function typeOf({ group, version, plural }: ResourcePath): ResourceType {
  return { group, version, plural };
}

function refOf(path: ResourcePath): ResourceRef {
  const { namespace, name = '' } = path;
  return { ...typeOf(path), name, ...(namespace === undefined ? {} : { namespace }) };
}

function deleted({ group, plural, name }: ResourcePath, { metadata }: KubeObject): unknown {
  const details = { name, ...(group === '' ? {} : { group }), kind: plural, uid: metadata.uid };
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details };
}
