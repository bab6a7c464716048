import { EventEmitter, once } from 'node:events';
import type { KubeList, KubeObject, KubeObjectInput, WatchEvent } from '@crate/api';
import { notFound, PlatformError } from '@crate/errors';
import {
  ResourceApi,
  type CallContext,
  type ListOptions,
  type LogChunk,
  type PatchOptions,
  type ReadLogOptions,
  type RemoveResult,
  type ResourceRef,
  type ResourceType,
  type SubresourceWrite,
  type WatchOptions,
  type WriteResult,
} from '@crate/resource-client';

export const WIDGETS: ResourceType = { group: 'policy.crate.dev', version: 'v1alpha1', plural: 'widgets' };

/** One kind in memory with a change log, as the owner of the kind would serve it; shared by the replicas of a test. */
export class FakeResourceApi extends ResourceApi {
  readonly draft = { apiVersion: 'policy.crate.dev/v1alpha1', kind: 'Widget', metadata: { name: 'a' } };
  /** One for each revision; a BOOKMARK stands for a change of something else. */
  readonly events: WatchEvent[] = [];
  /** Watches from before this revision are told Gone. */
  compactedTo = 0;
  calls = 0;
  /** How many objects each removal of a collection named; they stay. */
  readonly removals: number[] = [];
  private readonly objects = new Map<string, KubeObject>();
  private readonly changes = new EventEmitter().setMaxListeners(0);

  get revision(): string {
    return String(this.events.length);
  }

  put(name: string, spec: unknown = {}): void {
    const type = this.objects.has(name) ? 'MODIFIED' : 'ADDED';
    this.log(type, { ...this.empty(name), spec });
    this.objects.set(name, this.events.at(-1)?.object as KubeObject);
  }

  drop(name: string): void {
    this.objects.delete(name);
    this.log('DELETED', this.empty(name));
  }

  /** Something else of the same owner changes. */
  changeElsewhere(): void {
    this.log('BOOKMARK', this.empty(''));
  }

  override get(ref: ResourceRef): Promise<KubeObject> {
    const object = this.objects.get(ref.name);
    return object ? Promise.resolve(object) : Promise.reject(notFound('Widget', ref.name));
  }

  override list(_: ResourceType, options: ListOptions): Promise<KubeList> {
    this.calls += 1;
    if (Number(options.resourceVersion ?? 0) > this.events.length) {
      const details = { reason: 'ResourceVersionTooLarge' };
      return Promise.reject(new PlatformError('Timeout', 'Too large resource version', { details }));
    }
    const all = [...this.objects.values()];
    const start = Number(options.continue ?? 0);
    const end = start + (options.limit ?? all.length);
    const metadata = { resourceVersion: this.revision, ...(end < all.length ? { continue: String(end) } : {}) };
    const items = all.slice(start, end);
    return Promise.resolve({ apiVersion: 'policy.crate.dev/v1alpha1', kind: 'WidgetList', metadata, items });
  }

  override async *watch(_: ResourceType, options: WatchOptions, context: CallContext): AsyncGenerator<WatchEvent> {
    this.calls += 1;
    const from = Number(options.resourceVersion);
    // As a real owner: "0" gives what exists, by name, and not what led there.
    if (from === 0) {
      for (const name of [...this.objects.keys()].sort())
        yield { type: 'ADDED', object: this.objects.get(name) as KubeObject };
    }
    const start = from === 0 ? this.events.length : from;
    if (from < this.compactedTo) throw new PlatformError('Gone', 'Too old');
    const end = AbortSignal.any([context.signal as AbortSignal, AbortSignal.timeout(options.timeoutMs ?? 60_000)]);
    let next = start;
    while (!end.aborted) {
      const event = this.events[next] ?? (await this.nextChange(next, end));
      if (event && event.type !== 'BOOKMARK') yield event;
      if (event) next += 1;
    }
    // As a real owner: the last word is where it has come to.
    const { metadata, ...type } = this.empty('');
    yield { type: 'BOOKMARK', object: { ...type, metadata: { ...metadata, resourceVersion: String(next) } } };
  }

  override create(_: ResourceType, _object: KubeObjectInput): Promise<WriteResult> {
    return Promise.resolve(this.result());
  }

  override update(): Promise<WriteResult> {
    return Promise.resolve(this.result());
  }

  override async patch(ref: ResourceRef, _patch: unknown, options?: PatchOptions): Promise<WriteResult> {
    if (options?.mayCreate === false) await this.get(ref);
    return this.result();
  }

  override async remove(ref: ResourceRef): Promise<RemoveResult> {
    return { object: await this.get(ref), warnings: [] };
  }

  override async removeCollection(type: ResourceType, list: ListOptions): Promise<KubeList> {
    const page = await this.list(type, list);
    this.removals.push(page.items.length);
    return page;
  }

  override readSubresource(_: ResourceRef, subresource: string): Promise<unknown> {
    return Promise.resolve({ subresource });
  }

  override writeSubresource(_: ResourceRef, subresource: string, write: SubresourceWrite): Promise<unknown> {
    return Promise.resolve({ subresource, write });
  }

  override readLog(_: ResourceRef, _subresource: string, options: ReadLogOptions): Promise<LogChunk> {
    return Promise.resolve({ text: 'line\n', cursor: `${options.cursor ?? ''}x`, isComplete: true });
  }

  private async nextChange(index: number, end: AbortSignal): Promise<WatchEvent | undefined> {
    await once(this.changes, 'change', { signal: end }).catch(() => undefined);
    return this.events[index];
  }

  private result(): WriteResult {
    return { object: this.empty('written'), created: true, warnings: ['A warning'] };
  }

  private log(type: WatchEvent['type'], object: KubeObject): void {
    const resourceVersion = String(this.events.length + 1);
    this.events.push({ type, object: { ...object, metadata: { ...object.metadata, resourceVersion } } });
    this.changes.emit('change');
  }

  private empty(name: string): KubeObject {
    const metadata = { name, uid: `uid-${name}`, resourceVersion: '', generation: 1, creationTimestamp: '' };
    return { apiVersion: 'policy.crate.dev/v1alpha1', kind: 'Widget', metadata };
  }
}
