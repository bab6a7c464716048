import type { KubeList, KubeObject, KubeObjectInput, WatchEvent } from '@crate/api';
import { hasCode, PlatformError } from '@crate/errors';
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
import type { ResourceStore } from '@crate/resource-store';
import type { KindRegistry, RegisteredKind } from '../kinds/kind-registry.js';
import type { SubresourceHandler } from '../kinds/served-kind.js';
import { runAdmission, untilGuarded } from './admission.js';
import { checkScope, checkType, modified, named, storeKey } from './identity.js';
import { listKind, queryOf } from './local-list.js';
import { watchKind } from './local-watch.js';
import { Patcher } from './patcher.js';
import { workloadScale } from './scale.js';
import { type Clock, Writer } from './writer.js';

export interface LocalResourceApiOptions {
  readonly store: ResourceStore;
  readonly kinds: KindRegistry;
  /** Default: the system's clock. */
  readonly clock?: Clock;
  /** How often a quiet watch that takes bookmarks gets one. Default: 60,000. */
  readonly bookmarkEveryMs?: number;
}

const BOOKMARK_EVERY_MS = 60_000;

/** The verbs answered by this process from its own store. */
export class LocalResourceApi extends ResourceApi {
  private readonly store: ResourceStore;
  private readonly kinds: KindRegistry;
  private readonly writer: Writer;
  private readonly patcher: Patcher;
  private readonly bookmarkEveryMs: number;

  constructor({ store, kinds, clock = () => new Date(), ...options }: LocalResourceApiOptions) {
    super();
    this.bookmarkEveryMs = options.bookmarkEveryMs ?? BOOKMARK_EVERY_MS;
    this.store = store;
    this.kinds = kinds;
    this.writer = new Writer(store, clock);
    this.patcher = new Patcher(this.writer);
  }

  override async get(ref: ResourceRef, _context: CallContext): Promise<KubeObject> {
    return this.writer.getLive(this.kindOf(ref), ref);
  }

  override async list(type: ResourceType, options: ListOptions, _context: CallContext): Promise<KubeList> {
    return listKind(this.store, this.kinds.get(type), options);
  }

  override async *watch(type: ResourceType, options: WatchOptions, context: CallContext): AsyncGenerator<WatchEvent> {
    const kind = this.kinds.get(type);
    const { bookmarkEveryMs } = this;
    yield* watchKind(this.store, { kind, query: queryOf(kind, options), options, context, bookmarkEveryMs });
  }

  override async create(
    type: ResourceType,
    object: KubeObjectInput,
    options: WriteOptions,
    context: CallContext,
  ): Promise<WriteResult> {
    const kind = this.kinds.get(type);
    checkType(kind, object);
    const document = { ...object, metadata: object.metadata ?? {} } as KubeObject;
    checkScope(kind, document.metadata.namespace);
    return this.writer.create({ kind, options, context }, { object: document });
  }

  override async update(
    ref: ResourceRef,
    object: KubeObjectInput,
    options: WriteOptions,
    context: CallContext,
  ): Promise<WriteResult> {
    const kind = this.kindOf(ref);
    checkType(kind, object);
    const document = named(object, ref);
    return this.writer.update({ kind, options, context }, ref, () => ({ object: document }));
  }

  override async patch(
    ref: ResourceRef,
    patch: unknown,
    options: PatchOptions,
    context: CallContext,
  ): Promise<WriteResult> {
    return this.patcher.patch({ kind: this.kindOf(ref), options, context }, ref, patch);
  }

  override async remove(ref: ResourceRef, options: DeleteOptions, context: CallContext): Promise<RemoveResult> {
    return untilGuarded(() => this.removeLive(ref, options, context), { areStored: () => Promise.resolve(true) });
  }

  override async removeCollection(
    type: ResourceType,
    list: ListOptions,
    options: DeleteOptions,
    context: CallContext,
  ): Promise<KubeList> {
    const page = await this.list(type, list, context);
    const removed: KubeObject[] = [];
    for (const { metadata } of page.items) {
      const namespace = metadata.namespace === undefined ? {} : { namespace: metadata.namespace };
      const gone = await this.removeIfThere({ ...type, ...namespace, name: metadata.name }, options, context);
      if (gone) removed.push(gone);
    }
    return { ...page, items: removed };
  }

  override async readSubresource(
    ref: ResourceRef,
    subresource: string,
    context: CallContext,
    query: SubresourceQuery = {},
  ): Promise<unknown> {
    const kind = this.kindOf(ref);
    const live = await this.writer.getLive(kind, ref);
    if (subresource === 'status' && kind.definition.hasStatus) return live;
    const { read } = this.handlerOf(kind, subresource);
    if (!read) throw unknownPath();
    return read(live, ref, context, query);
  }

  override async writeSubresource(
    ref: ResourceRef,
    subresource: string,
    write: SubresourceWrite,
    context: CallContext,
  ): Promise<unknown> {
    const kind = this.kindOf(ref);
    const handler = this.handlerOf(kind, subresource);
    if (!handler.write) throw unknownPath();
    return handler.write(await this.writer.getLive(kind, ref), ref, write, context);
  }

  override async readLog(
    ref: ResourceRef,
    subresource: string,
    options: ReadLogOptions,
    context: CallContext,
  ): Promise<LogChunk> {
    const kind = this.kindOf(ref);
    const { readLog } = this.handlerOf(kind, subresource);
    if (!readLog) throw unknownPath();
    return readLog(await this.writer.getLive(kind, ref), ref, options, context);
  }

  private async removeLive(ref: ResourceRef, options: DeleteOptions, context: CallContext): Promise<RemoveResult> {
    const kind = this.kindOf(ref);
    const live = await this.writer.getLive(kind, ref);
    checkPreconditions(kind, live, options);
    const dryRun = options.dryRun ?? false;
    const { guards, warnings } = await runAdmission(kind, {
      operation: 'DELETE',
      object: live,
      oldObject: live,
      context,
      dryRun,
    });
    if (dryRun) return { object: live, warnings };
    const { uid, resourceVersion } = options.preconditions ?? {};
    const propagationPolicy = policyOf(kind, options);
    const removed = await this.store.remove(storeKey(kind, ref), {
      guards,
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    });
    return { object: kind.present(removed), warnings };
  }

  private async removeIfThere(
    ref: ResourceRef,
    options: DeleteOptions,
    context: CallContext,
  ): Promise<KubeObject | undefined> {
    try {
      return (await this.remove(ref, options, context)).object;
    } catch (error) {
      if (hasCode(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  /** Throws the NotFound of a path that is not served. */
  private handlerOf(kind: RegisteredKind, subresource: string): SubresourceHandler {
    const handler = kind.subresources?.[subresource];
    if (typeof handler === 'function') return { read: handler };
    if (handler) return handler;
    const isWorkload = kind.definition.subresources.some(({ name }) => name === 'scale' && name === subresource);
    if (!isWorkload) throw unknownPath();
    return workloadScale(this);
  }

  private kindOf(ref: ResourceRef): RegisteredKind {
    const kind = this.kinds.get(ref);
    checkScope(kind, ref.namespace);
    return kind;
  }
}

function unknownPath(): PlatformError {
  return new PlatformError('NotFound', 'the server could not find the requested resource');
}

/** What becomes of dependents; undefined: what the finalizers of the object imply. */
function policyOf(kind: RegisteredKind, { propagationPolicy }: DeleteOptions): DeleteOptions['propagationPolicy'] {
  if (!kind.leavesNoOrphans || propagationPolicy === 'Foreground') return propagationPolicy;
  return 'Background';
}

function checkPreconditions(kind: RegisteredKind, live: KubeObject, { preconditions }: DeleteOptions): void {
  const { uid, resourceVersion } = preconditions ?? {};
  const { name } = live.metadata;
  if (uid && uid !== live.metadata.uid) {
    throw modified(
      kind,
      name,
      `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${live.metadata.uid}`,
    );
  }
  if (resourceVersion && resourceVersion !== live.metadata.resourceVersion) {
    const stored = live.metadata.resourceVersion;
    throw modified(
      kind,
      name,
      `Precondition failed: ResourceVersion in precondition: ${resourceVersion}, in object meta: ${stored}`,
    );
  }
}
