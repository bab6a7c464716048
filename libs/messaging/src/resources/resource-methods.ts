import type { Scope } from '@crate/auth';
import { badRequest, forbidden } from '@crate/errors';
import type { CallContext, ResourceApi, ResourceRef, ResourceType, WriteOptions } from '@crate/resource-client';
import type { ServiceMethod } from '../serve/service-methods.js';
import { Confidential } from '../sealing/confidential.js';
import { wasSealed } from '../sealing/sealed-calls.js';
import type { SecrecyOf } from '../sealing/secrecy.js';
import { listPage } from './list-page.js';
import { pollChanges } from './poll-changes.js';
import { parse, requests } from './schemas.js';

export interface ResourceMethodsOptions {
  readonly api: ResourceApi;
  /** Aborts when the server takes no more requests: long polls then end at once, and go on at another replica. */
  readonly closing: AbortSignal;
  /** The connection's limit for one message. */
  readonly maxPayloadBytes: number;
  /** What of the kinds served here may cross NATS only sealed. */
  readonly secrecyOf: SecrecyOf;
}

/** Subresources that need more than the right to read. */
const SUBRESOURCE_SCOPES: Readonly<Record<string, Scope>> = { kubeconfig: 'kubeconfig:read' };

/** The methods through which other services reach a service's resources, by name. */
export function resourceMethods(options: ResourceMethodsOptions): Record<string, ServiceMethod> {
  return { ...readMethods(options), ...writeMethods(options) };
}

function readMethods(options: ResourceMethodsOptions): Record<string, ServiceMethod> {
  const { api, closing, maxPayloadBytes } = options;
  const answer = answering(options.secrecyOf);
  const maxBytes = pageBytes(maxPayloadBytes);
  return {
    'resources.get': read(async (body, context) => api.get(parse(requests.get, body).ref, context)),
    'resources.list': read(async (body, context) => {
      return listPage({ api, ...parse(requests.list, body), maxBytes }, context);
    }),
    'resources.watch': read(async (body, context) => {
      const { type, options: watch, waitMs } = parse(requests.poll, body);
      const signal = AbortSignal.any([closing, ...(context.signal ? [context.signal] : [])]);
      return pollChanges(api, type, { watch, waitMs, maxBytes }, { ...context, signal });
    }),
    'resources.readLog': read(async (body, context) => {
      const { ref, subresource, options: place } = parse(requests.readLog, body);
      const signal = AbortSignal.any([closing, ...(context.signal ? [context.signal] : [])]);
      return answer(ref, subresource, await api.readLog(ref, subresource, place, { ...context, signal }));
    }),
    'resources.readSubresource': {
      scope: (body) => {
        const { subresource } = parse(requests.readSubresource, body);
        return SUBRESOURCE_SCOPES[subresource] ?? 'resources:read';
      },
      handle: async (body, context) => {
        const { ref, subresource, query } = parse(requests.readSubresource, body);
        return answer(ref, subresource, await api.readSubresource(ref, subresource, context, query));
      },
    },
  };
}

function writeMethods({ api, secrecyOf, maxPayloadBytes }: ResourceMethodsOptions): Record<string, ServiceMethod> {
  const answer = answering(secrecyOf);
  return {
    'resources.create': write(async (body, context) => {
      const { type, object, options } = parse(requests.create, body);
      requireSealed(secrecyOf, type, body);
      return api.create(type, object, options, context);
    }),
    'resources.update': write(async (body, context) => {
      const { ref, object, options } = parse(requests.update, body);
      requireSealed(secrecyOf, ref, body);
      requireNotStatus(ref, options);
      return api.update(ref, object, options, context);
    }),
    'resources.patch': write(async (body, context) => {
      const { ref, patch, options } = parse(requests.patch, body);
      requireSealed(secrecyOf, ref, body);
      requireNotStatus(ref, options);
      return api.patch(ref, patch, options, context);
    }),
    'resources.remove': write(async (body, context) => {
      const { ref, options } = parse(requests.remove, body);
      return (await api.remove(ref, options, context)).object;
    }),
    'resources.writeSubresource': write(async (body, context) => {
      const { ref, subresource, write: request } = parse(requests.writeSubresource, body);
      return answer(ref, subresource, await api.writeSubresource(ref, subresource, request, context));
    }),
    'resources.removeCollection': write(async (body, context) => {
      const { type, list, options } = parse(requests.removeCollection, body);
      // No more goes than the answer can name.
      const page = await listPage({ api, type, options: list, maxBytes: pageBytes(maxPayloadBytes) }, context);
      const limit = page.items.length;
      return limit === 0 ? page : api.removeCollection(type, { ...list, limit }, options, context);
    }),
  };
}

/** Half of a message is room for its envelope and for objects that do not divide evenly. */
function pageBytes(maxPayloadBytes: number): number {
  return maxPayloadBytes / 2;
}

type Answer = (type: ResourceType, subresource: string, content: unknown) => unknown;

/** Marks what secret subresources give, so that it leaves sealed or not at all. */
function answering(secrecyOf: SecrecyOf): Answer {
  return (type, subresource, content) =>
    secrecyOf(type)?.secretSubresources.has(subresource) ? new Confidential(content) : content;
}

/** A caller that does not seal is told at once, not when somebody reads its messages. */
function requireSealed(secrecyOf: SecrecyOf, type: ResourceType, body: unknown): void {
  if (!secrecyOf(type)?.hasSecretFields || wasSealed(body)) return;
  throw badRequest(`${type.plural}.${type.group} holds secrets, which must be sealed on their way between services`);
}

/** A status is what the owner observed. Who calls from outside is not the owner, whatever else they may do. */
function requireNotStatus({ group, plural, name }: ResourceRef, { subresource }: WriteOptions): void {
  if (subresource !== 'status') return;
  const what = `${plural}.${group} ${JSON.stringify(name)}`;
  throw forbidden(`${what} is forbidden: its status is written by the service that owns it`, {
    group,
    kind: plural,
    name,
  });
}

type Handle = (body: unknown, context: CallContext) => Promise<unknown>;

function read(handle: Handle): ServiceMethod {
  return { scope: 'resources:read', handle };
}

function write(handle: Handle): ServiceMethod {
  return { scope: 'resources:write', handle };
}
