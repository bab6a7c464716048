import { badRequest, forbidden } from '@crate/errors';
import type { ResourceRouter, Route } from '@crate/resource-client';
import type { Logger } from '@crate/telemetry';
import type { Authenticate, Authorize, Verb } from '../authorization.js';
import { type Exchange, wantsWatch } from '../exchange.js';
import { negotiate } from '../negotiate.js';
import { type AwayOwner, notServed } from '../not-served.js';
import { methodNotAllowed, pathNotFound } from '../protocol-error.js';
import type { ResourcePath } from '../request-path.js';
import { includeObjectOf, ObjectView } from '../view.js';
import { sendList } from './list-stream.js';
import { get, watch } from './reading.js';
import { standingAccess } from './standing-access.js';
import type { ContentTexts } from './subresource.js';
import type { Target } from './target.js';
import { create, patch, remove, removeCollection, update } from './writing.js';

export interface ResourceEndpointOptions {
  readonly router: ResourceRouter;
  /** Default: whatever is not known does not exist. */
  readonly awayOwner?: AwayOwner;
  readonly authenticate: Authenticate;
  readonly authorize: Authorize;
  /** How often the right to an answer that goes on, such as a watch, is looked at again; default 5,000. */
  readonly lookAgainMs?: number;
  readonly logger: Logger;
  readonly now: () => Date;
  /** How content of subresources is written for people, by its kind. */
  readonly texts?: ContentTexts;
}

/** Answers requests to resource paths. */
export class ResourceEndpoint {
  constructor(private readonly options: ResourceEndpointOptions) {}

  /** Throws what becomes the Status of the answer. */
  async handle(exchange: Exchange, path: ResourcePath): Promise<void> {
    const route = this.options.router.find(path.group, path.version, path.plural);
    if (!route) throw namespaceForbidden(path) ?? notServed(path.group, this.options.awayOwner);
    const verb = verbOf(exchange, path);
    checkScope(route, path, verb);
    await this.authorize(exchange, path, verb);
    checkOffered(route, path, verb);
    const { view, format } = negotiate(exchange.request.headers.accept);
    if (verb === 'watch' && format !== 'json') throw badRequest('a watch is sent as JSON only');
    const shown = { view, includeObject: includeObjectOf(exchange.query), now: this.options.now };
    const authorize = (further: Verb): Promise<void> => this.authorize(exchange, path, further);
    const target = { exchange, path, route, view: new ObjectView(route.kind, shown), authorize };
    await (exchange.isFollowing ? this.answerWhileAllowed(verb, target) : this.answer(verb, target));
  }

  /** Whoever loses the right to see it, or whose credentials end, sees no more. */
  private async answerWhileAllowed(verb: Verb, target: Target): Promise<void> {
    const { exchange, path } = target;
    const { context, request, response } = exchange;
    const access = standingAccess(async () => {
      const caller = await this.options.authenticate(request, response);
      await this.authorize({ ...exchange, context: { ...context, caller } }, path, verb);
    }, this.options.lookAgainMs);
    const signal = AbortSignal.any([context.signal, access.signal]);
    try {
      await this.answer(verb, { ...target, exchange: { ...exchange, context: { ...context, signal } } });
    } finally {
      access.stop();
    }
  }

  private authorize({ context }: Exchange, path: ResourcePath, verb: Verb): Promise<void> {
    const { plural: resource, ...attributes } = path;
    return this.options.authorize(context.caller, { ...attributes, resource, verb });
  }

  private answer(verb: Verb, target: Target): Promise<void> {
    switch (verb) {
      case 'get':
        return get(target, this.options.texts);
      case 'list':
        return sendList(target);
      case 'watch':
        return watch(target, this.options.logger);
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
}

function verbOf({ method, query }: Exchange, path: ResourcePath): Verb {
  const { name } = path;
  switch (method) {
    case 'GET':
      if (wantsWatch(query, path)) return 'watch';
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

/** Across all namespaces a namespaced kind can be listed and watched only. */
function checkScope({ kind }: Route, { namespace, name }: ResourcePath, verb: Verb): void {
  if (kind.namespaced ? namespace === undefined && name !== undefined : namespace !== undefined) throw pathNotFound();
  const isReading = verb === 'list' || verb === 'watch';
  if (kind.namespaced && namespace === undefined && !isReading) throw methodNotAllowed();
}

/** Asked after authorisation, which may have more to say to who may not. Subresources offer verbs of their own. */
function checkOffered({ kind: { verbs, instead } }: Route, { subresource }: ResourcePath, verb: Verb): void {
  if (subresource === undefined && verbs !== undefined && !verbs.includes(verb)) throw methodNotAllowed(instead);
}

/**
 * kubectl asks for the namespace when an object is not found, and would report that as missing instead. A server without
 * namespaces of its own (in Crate a Project is one) forbids the question, so that the first answer is shown.
 */
function namespaceForbidden({ group, version, plural, name }: ResourcePath): Error | undefined {
  if (group !== '' || version !== 'v1' || plural !== 'namespaces' || name === undefined) return undefined;
  return forbidden(`namespaces ${JSON.stringify(name)} is forbidden: this server has no objects of that type`);
}
