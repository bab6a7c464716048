import type { KubeList, KubeObject, KubeObjectInput, WatchEvent } from '@crate/api';
import {
  ResourceApi,
  type CallContext,
  type DeleteOptions,
  type ListOptions,
  type LogChunk,
  type PatchOptions,
  type ReadLogOptions,
  type RemoveResult,
  type ResourceRef,
  type ResourceType,
  type SubresourceQuery,
  type SubresourceWrite,
  type WatchOptions,
  type WriteOptions,
  type WriteResult,
} from '@crate/resource-client';
import type { ServiceCaller } from '../bus.js';
import { DEFAULT_TIMEOUT_MS } from '../call/wire.js';
import { Confidential } from '../sealing/confidential.js';
import type { SecrecyOf } from '../sealing/secrecy.js';
import { watchRemotely } from './watch-remotely.js';

export interface NatsResourceApiOptions {
  /** How long the owner may hold a long poll; default 10,000. */
  readonly pollMs?: number;
  /** What of a kind is sealed on its way. Everything that is written to a kind it does not know is. */
  readonly secrecyOf?: SecrecyOf;
}

/** Each is a write with its admission, and a call has ten seconds. */
const REMOVED_AT_ONCE = 50;

/** The resources of another service. */
export class NatsResourceApi extends ResourceApi {
  constructor(
    private readonly calls: ServiceCaller,
    private readonly service: string,
    private readonly options: NatsResourceApiOptions = {},
  ) {
    super();
  }

  override async get(ref: ResourceRef, context: CallContext): Promise<KubeObject> {
    return this.call('get', { ref }, context);
  }

  /** One consistent snapshot, fetched in pages that each fit into a message. */
  override async list(type: ResourceType, options: ListOptions, context: CallContext): Promise<KubeList> {
    return allPages(options, Infinity, (next) => this.call('list', { type, options: next }, context));
  }

  override watch(type: ResourceType, options: WatchOptions, context: CallContext): AsyncIterable<WatchEvent> {
    return watchRemotely({
      type,
      options,
      context,
      list: (listOptions, listContext) => this.list(type, listOptions, listContext),
      poll: (body, pollContext, timeoutMs) => this.call('watch', body, pollContext, timeoutMs),
      ...(this.options.pollMs === undefined ? {} : { pollMs: this.options.pollMs }),
    });
  }

  override async create(
    type: ResourceType,
    object: KubeObjectInput,
    options: WriteOptions,
    context: CallContext,
  ): Promise<WriteResult> {
    return this.call('create', { type, object: this.written(type, object), options }, context);
  }

  override async update(
    ref: ResourceRef,
    object: KubeObjectInput,
    options: WriteOptions,
    context: CallContext,
  ): Promise<WriteResult> {
    return this.call('update', { ref, object: this.written(ref, object), options }, context);
  }

  override async patch(
    ref: ResourceRef,
    patch: unknown,
    options: PatchOptions,
    context: CallContext,
  ): Promise<WriteResult> {
    return this.call('patch', { ref, patch: this.written(ref, patch), options }, context);
  }

  override async remove(ref: ResourceRef, options: DeleteOptions, context: CallContext): Promise<RemoveResult> {
    return { object: await this.call<KubeObject>('remove', { ref, options }, context), warnings: [] };
  }

  /** A part at a time, so that each is done and answered within the time of a call. When one fails, what went before it is gone. */
  override async removeCollection(
    type: ResourceType,
    list: ListOptions,
    options: DeleteOptions,
    context: CallContext,
  ): Promise<KubeList> {
    return allPages(list, REMOVED_AT_ONCE, (next) => {
      return this.call('removeCollection', { type, list: next, options }, context);
    });
  }

  override async readSubresource(
    ref: ResourceRef,
    subresource: string,
    context: CallContext,
    query?: SubresourceQuery,
  ): Promise<unknown> {
    return this.call('readSubresource', { ref, subresource, ...(query ? { query } : {}) }, context);
  }

  override async writeSubresource(
    ref: ResourceRef,
    subresource: string,
    write: SubresourceWrite,
    context: CallContext,
  ): Promise<unknown> {
    const isSecret = this.secrecyOf(ref)?.secretSubresources.has(subresource) ?? true;
    const request = isSecret ? new Confidential(write) : write;
    return this.call('writeSubresource', { ref, subresource, write: request }, context);
  }

  override async readLog(
    ref: ResourceRef,
    subresource: string,
    options: ReadLogOptions,
    context: CallContext,
  ): Promise<LogChunk> {
    return this.call('readLog', { ref, subresource, options }, context, options.waitMs + DEFAULT_TIMEOUT_MS);
  }

  /** A patch or the annotations of an object may repeat a secret field anywhere, so that all of it is sealed. */
  private written(type: ResourceType, content: unknown): unknown {
    return (this.secrecyOf(type)?.hasSecretFields ?? true) ? new Confidential(content) : content;
  }

  private secrecyOf(type: ResourceType): ReturnType<SecrecyOf> {
    return this.options.secrecyOf?.(type);
  }

  private async call<T>(method: string, body: unknown, context: CallContext, timeoutMs?: number): Promise<T> {
    return this.calls.call<T>(this.service, `resources.${method}`, body, context, timeoutMs);
  }
}

/** Pages of at most so many items, one after the other, as one list; it ends at the limit that the options state. */
async function allPages(
  options: ListOptions,
  most: number,
  fetch: (options: ListOptions) => Promise<KubeList>,
): Promise<KubeList> {
  const items: KubeObject[] = [];
  // The token knows the revision; stating one beside it is refused.
  const { resourceVersion: _revision, resourceVersionMatch: _match, limit: wanted = Infinity, ...selection } = options;
  for (let next = options; ;) {
    const limit = Math.min(most, wanted - items.length);
    const page = await fetch({ ...next, ...(limit === Infinity ? {} : { limit }) });
    items.push(...page.items);
    const token = page.metadata.continue;
    if (token === undefined || items.length >= wanted) return { ...page, items };
    next = { ...selection, continue: token };
  }
}
