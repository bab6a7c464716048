import type { KubeList, KubeObject, KubeObjectInput, WatchEvent } from '@crate/api';
import {
  ResourceApi,
  type CallContext,
  type DeleteOptions,
  type ListOptions,
  type LogChunk,
  type ReadLogOptions,
  type PatchOptions,
  type RemoveResult,
  type ResourceRef,
  type ResourceType,
  type SubresourceWrite,
  type WatchOptions,
  type WriteOptions,
  type WriteResult,
} from '@crate/resource-client';
import { printedCells } from './printed.js';

/**
 * Adds what table columns of core kinds show to the objects it passes on, as a property that serialisation does not
 * see: a printer column reads one path, while Kubernetes works such cells out from several fields.
 */
export class PrintedApi extends ResourceApi {
  constructor(private readonly api: ResourceApi) {
    super();
  }

  override async get(ref: ResourceRef, context: CallContext): Promise<KubeObject> {
    return printable(await this.api.get(ref, context));
  }

  override async list(type: ResourceType, options: ListOptions, context: CallContext): Promise<KubeList> {
    const page = await this.api.list(type, options, context);
    return { ...page, items: page.items.map(printable) };
  }

  override async *watch(type: ResourceType, options: WatchOptions, context: CallContext): AsyncGenerator<WatchEvent> {
    for await (const event of this.api.watch(type, options, context)) {
      yield event.type === 'BOOKMARK' ? event : { type: event.type, object: printable(event.object) };
    }
  }

  override async create(
    type: ResourceType,
    object: KubeObjectInput,
    options: WriteOptions,
    context: CallContext,
  ): Promise<WriteResult> {
    return this.api.create(type, object, options, context);
  }

  override async update(
    ref: ResourceRef,
    object: KubeObjectInput,
    options: WriteOptions,
    context: CallContext,
  ): Promise<WriteResult> {
    return this.api.update(ref, object, options, context);
  }

  override async patch(
    ref: ResourceRef,
    patch: unknown,
    options: PatchOptions,
    context: CallContext,
  ): Promise<WriteResult> {
    return this.api.patch(ref, patch, options, context);
  }

  override async remove(ref: ResourceRef, options: DeleteOptions, context: CallContext): Promise<RemoveResult> {
    return this.api.remove(ref, options, context);
  }

  override async removeCollection(
    type: ResourceType,
    list: ListOptions,
    options: DeleteOptions,
    context: CallContext,
  ): Promise<KubeList> {
    return this.api.removeCollection(type, list, options, context);
  }

  override async readSubresource(ref: ResourceRef, subresource: string, context: CallContext): Promise<unknown> {
    return this.api.readSubresource(ref, subresource, context);
  }

  override async writeSubresource(
    ref: ResourceRef,
    subresource: string,
    write: SubresourceWrite,
    context: CallContext,
  ): Promise<unknown> {
    return this.api.writeSubresource(ref, subresource, write, context);
  }

  override async readLog(
    ref: ResourceRef,
    subresource: string,
    options: ReadLogOptions,
    context: CallContext,
  ): Promise<LogChunk> {
    return this.api.readLog(ref, subresource, options, context);
  }
}

function printable(object: KubeObject): KubeObject {
  // A copy, because watchers share their objects; the cells are worked out only when a table asks.
  return Object.defineProperty({ ...object }, 'printed', { enumerable: false, get: () => printedCells(object) });
}
