import { apiVersionOf, type KindDefinition, type KubeObject, type ObjectMeta, type WatchEvent } from '@crate/api';
import { hasCode } from '@crate/errors';
import type {
  CallContext,
  DeleteOptions,
  ListOptions,
  ResourceApi,
  ResourceRef,
  ResourceType,
  WatchOptions,
} from './resource-api.js';

/** What a writer states; the server fills in the rest of the metadata. */
export interface Draft {
  readonly metadata: Partial<ObjectMeta> & { readonly name: string };
  readonly [field: string]: unknown;
}

/** A `ResourceApi` narrowed to one kind, for reconcilers and the CLI. */
export class TypedClient<T extends KubeObject> {
  readonly type: ResourceType;

  constructor(
    private readonly api: ResourceApi,
    readonly kind: KindDefinition<T>,
    private readonly context: CallContext,
  ) {
    this.type = { group: kind.group, version: kind.version, plural: kind.plural };
  }

  /** The same client under another trace or deadline. */
  withContext(context: Partial<CallContext>): TypedClient<T> {
    return new TypedClient(this.api, this.kind, { ...this.context, ...context });
  }

  /** Undefined when absent. */
  async find(name: string, namespace?: string): Promise<T | undefined> {
    try {
      return (await this.api.get(this.ref(name, namespace), this.context)) as T;
    } catch (error) {
      if (hasCode(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  /** All pages, unless `limit` asks for one. */
  async list(options: ListOptions = {}): Promise<readonly T[]> {
    const items: T[] = [];
    let token: string | undefined = options.continue;
    do {
      const page = await this.api.list(
        this.type,
        token === undefined ? options : { ...options, continue: token },
        this.context,
      );
      items.push(...(page.items as readonly T[]));
      token = page.metadata.continue;
    } while (token !== undefined && options.limit === undefined);
    return items;
  }

  watch(options: WatchOptions, signal: AbortSignal): AsyncIterable<WatchEvent<T>> {
    return this.api.watch(this.type, options, { ...this.context, signal }) as AsyncIterable<WatchEvent<T>>;
  }

  /**
   * Server-side apply: creates or updates, owning just the fields stated. Idempotent: stating the same again writes nothing.
   */
  async ensure(draft: Draft, fieldManager: string): Promise<T> {
    const object = { apiVersion: apiVersionOf(this.kind), kind: this.kind.kind, ...draft };
    const ref = this.ref(draft.metadata.name, draft.metadata.namespace);
    const result = await this.api.patch(ref, object, { type: 'apply', force: true, fieldManager }, this.context);
    return result.object as T;
  }

  /** Creates; throws AlreadyExists. */
  async create(draft: Draft): Promise<T> {
    const object = { apiVersion: apiVersionOf(this.kind), kind: this.kind.kind, ...draft };
    return (await this.api.create(this.type, object, {}, this.context)).object as T;
  }

  /** JSON merge patch (RFC 7386); Conflict when it names a `metadata.resourceVersion` or `uid` that is not the stored one. */
  async merge(name: string, namespace: string | undefined, patch: unknown): Promise<T> {
    const result = await this.api.patch(this.ref(name, namespace), patch, { type: 'merge' }, this.context);
    return result.object as T;
  }

  /** Replaces `status` as a whole; Conflict when `object` is not the stored version any more. */
  async saveStatus(object: T, status: unknown): Promise<T> {
    const { name, namespace } = object.metadata;
    const body = { ...object, status };
    const result = await this.api.update(this.ref(name, namespace), body, { subresource: 'status' }, this.context);
    return result.object as T;
  }

  /** Asks for deletion; absent already counts as done and gives undefined. */
  async remove(name: string, namespace?: string, options: DeleteOptions = {}): Promise<T | undefined> {
    try {
      const { object } = await this.api.remove(this.ref(name, namespace), options, this.context);
      return object as T;
    } catch (error) {
      if (hasCode(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  private ref(name: string, namespace?: string): ResourceRef {
    return { ...this.type, name, ...(namespace === undefined ? {} : { namespace }) };
  }
}
