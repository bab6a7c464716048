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
import type { KindRegistry } from '@crate/resource-server';
import { subjectOf, type CallSubject } from './audited-call.js';
import type { CallRecorder } from './call-recorder.js';

/** A service's resources, with every write and every read of a secret in the audit log. */
export class AuditedResourceApi extends ResourceApi {
  constructor(
    private readonly inner: ResourceApi,
    private readonly kinds: KindRegistry,
    private readonly recorder: CallRecorder,
  ) {
    super();
  }

  override get(ref: ResourceRef, context: CallContext): Promise<KubeObject> {
    return this.inner.get(ref, context);
  }

  override list(type: ResourceType, options: ListOptions, context: CallContext): Promise<KubeList> {
    return this.inner.list(type, options, context);
  }

  override watch(type: ResourceType, options: WatchOptions, context: CallContext): AsyncIterable<WatchEvent> {
    return this.inner.watch(type, options, context);
  }

  override async create(
    type: ResourceType,
    object: KubeObjectInput,
    options: WriteOptions,
    context: CallContext,
  ): Promise<WriteResult> {
    const { name, namespace } = object.metadata;
    const subject = {
      verb: 'create',
      type,
      ...(name === undefined ? {} : { name }),
      ...(namespace === undefined ? {} : { namespace }),
    };
    return this.write(subject, options, context, () => this.inner.create(type, object, options, context));
  }

  override async update(
    ref: ResourceRef,
    object: KubeObjectInput,
    options: WriteOptions,
    context: CallContext,
  ): Promise<WriteResult> {
    const subject = subjectOf('update', ref, partOf(options));
    return this.write(subject, options, context, () => this.inner.update(ref, object, options, context));
  }

  override async patch(
    ref: ResourceRef,
    patch: unknown,
    options: PatchOptions,
    context: CallContext,
  ): Promise<WriteResult> {
    const subject = subjectOf('patch', ref, partOf(options));
    return this.write(subject, options, context, () => this.inner.patch(ref, patch, options, context));
  }

  override async remove(ref: ResourceRef, options: DeleteOptions, context: CallContext): Promise<RemoveResult> {
    return this.write(subjectOf('delete', ref), options, context, () => this.inner.remove(ref, options, context));
  }

  override async removeCollection(
    type: ResourceType,
    list: ListOptions,
    options: DeleteOptions,
    context: CallContext,
  ): Promise<KubeList> {
    const { namespace } = list;
    const subject = { verb: 'deletecollection', type, ...(namespace === undefined ? {} : { namespace }) };
    return this.write(subject, options, context, () => this.inner.removeCollection(type, list, options, context));
  }

  override async readSubresource(
    ref: ResourceRef,
    subresource: string,
    context: CallContext,
    query?: SubresourceQuery,
  ): Promise<unknown> {
    const read = (): Promise<unknown> => this.inner.readSubresource(ref, subresource, context, query);
    if (!this.isSecret(ref, subresource)) return read();
    return this.recorder.secretRead(this.known(subjectOf('get', ref, { subresource })), context, read);
  }

  override async writeSubresource(
    ref: ResourceRef,
    subresource: string,
    write: SubresourceWrite,
    context: CallContext,
  ): Promise<unknown> {
    const subject = subjectOf(write.verb, ref, { subresource, ...tryOf(write) });
    const work = (): Promise<unknown> => this.inner.writeSubresource(ref, subresource, write, context);
    if (!this.isSecret(ref, subresource)) return this.recorder.write(this.known(subject), context, work);
    // What it answers is a secret, so it is recorded even when nothing was stored.
    return this.recorder.secretRead(this.known(subject), context, work);
  }

  override readLog(
    ref: ResourceRef,
    subresource: string,
    options: ReadLogOptions,
    context: CallContext,
  ): Promise<LogChunk> {
    return this.inner.readLog(ref, subresource, options, context);
  }

  private write<T>(
    subject: CallSubject,
    options: { readonly dryRun?: boolean },
    context: CallContext,
    work: () => Promise<T>,
  ): Promise<T> {
    return this.recorder.write(this.known({ ...subject, ...tryOf(options) }), context, work);
  }

  private known(subject: CallSubject): CallSubject {
    const kind = this.kinds.find(subject.type)?.definition.kind;
    return kind === undefined ? subject : { ...subject, kind };
  }

  private isSecret(ref: ResourceRef, subresource: string): boolean {
    const offered = this.kinds.find(ref)?.definition.subresources ?? [];
    return offered.some(({ name, isSecret }) => name === subresource && isSecret === true);
  }
}

function partOf({ subresource }: WriteOptions): { readonly subresource?: string } {
  return subresource === undefined ? {} : { subresource };
}

function tryOf({ dryRun = false }: { readonly dryRun?: boolean }): { readonly dryRun?: true } {
  return dryRun ? { dryRun } : {};
}
