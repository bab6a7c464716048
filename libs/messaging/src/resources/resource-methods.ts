import type { Scope } from '@crate/auth';
import { forbidden } from '@crate/errors';
import type { CallContext, ResourceApi, ResourceRef, WriteOptions } from '@crate/resource-client';
import type { ServiceMethod } from '../serve/service-methods.js';
import { listPage } from './list-page.js';
import { pollChanges } from './poll-changes.js';
import { parse, requests } from './schemas.js';

export interface ResourceMethodsOptions {
  readonly api: ResourceApi;
  /** Aborts when the server takes no more requests: long polls then end at once, and go on at another replica. */
  readonly closing: AbortSignal;
  /** The connection's limit for one message. */
  readonly maxPayloadBytes: number;
}

/** Subresources that need more than the right to read. */
const SUBRESOURCE_SCOPES: Readonly<Record<string, Scope>> = { kubeconfig: 'kubeconfig:read' };

/** The methods through which other services reach a service's resources, by name. */
export function resourceMethods(options: ResourceMethodsOptions): Record<string, ServiceMethod> {
  return { ...readMethods(options), ...writeMethods(options.api) };
}

function readMethods({ api, closing, maxPayloadBytes }: ResourceMethodsOptions): Record<string, ServiceMethod> {
  // Half of a message is room for its envelope and for objects that do not divide evenly.
  const maxBytes = maxPayloadBytes / 2;
  return {
    'resources.get': read(async (body, context) => api.get(parse(requests.get, body).ref, context)),
    'resources.list': read(async (body, context) => {
      const { type, options } = parse(requests.list, body);
      return listPage({ api, type, options, maxBytes }, context);
    }),
    'resources.watch': read(async (body, context) => {
      const { type, options, waitMs } = parse(requests.poll, body);
      const signal = AbortSignal.any([closing, ...(context.signal ? [context.signal] : [])]);
      return pollChanges(api, type, { watch: options, waitMs, maxBytes }, { ...context, signal });
    }),
    'resources.readLog': read(async (body, context) => {
      const { ref, subresource, options } = parse(requests.readLog, body);
      const signal = AbortSignal.any([closing, ...(context.signal ? [context.signal] : [])]);
      return api.readLog(ref, subresource, options, { ...context, signal });
    }),
    'resources.readSubresource': {
      scope: (body) => {
        const { subresource } = parse(requests.readSubresource, body);
        return SUBRESOURCE_SCOPES[subresource] ?? 'resources:read';
      },
      handle: async (body, context) => {
        const { ref, subresource } = parse(requests.readSubresource, body);
        return api.readSubresource(ref, subresource, context);
      },
    },
  };
}

function writeMethods(api: ResourceApi): Record<string, ServiceMethod> {
  return {
    'resources.create': write(async (body, context) => {
      const { type, object, options } = parse(requests.create, body);
      return api.create(type, object, options, context);
    }),
    'resources.update': write(async (body, context) => {
      const { ref, object, options } = parse(requests.update, body);
      requireNotStatus(ref, options);
      return api.update(ref, object, options, context);
    }),
    'resources.patch': write(async (body, context) => {
      const { ref, patch, options } = parse(requests.patch, body);
      requireNotStatus(ref, options);
      return api.patch(ref, patch, options, context);
    }),
    'resources.remove': write(async (body, context) => {
      const { ref, options } = parse(requests.remove, body);
      return api.remove(ref, options, context);
    }),
    'resources.writeSubresource': write(async (body, context) => {
      const { ref, subresource, write: request } = parse(requests.writeSubresource, body);
      return api.writeSubresource(ref, subresource, request, context);
    }),
    'resources.removeCollection': write(async (body, context) => {
      const { type, list, options } = parse(requests.removeCollection, body);
      return api.removeCollection(type, list, options, context);
    }),
  };
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
