import { DELETION_RECORD, type KubeList, type KubeObject, type WatchEvent } from '@crate/api';
import { notFound } from '@crate/errors';
import {
  ResourceRouter,
  type CallContext,
  type KindInfo,
  type ListOptions,
  type ResourceApi,
  type ResourceRef,
  type ResourceType,
  type Route,
  type WatchOptions,
} from '@crate/resource-client';
import type { HistoryStart } from '../access/history-start.js';

/** Hides DeletionRecords from before their Project, which are of another one that had its name; platform administrators see all. */
export class OwnHistoryRouter extends ResourceRouter {
  constructor(
    private readonly inner: ResourceRouter,
    private readonly startOf: HistoryStart,
  ) {
    super();
  }

  kinds(): readonly KindInfo[] {
    return this.inner.kinds();
  }

  find(group: string, version: string, plural: string): Route | undefined {
    const route = this.inner.find(group, version, plural);
    if (!route || group !== DELETION_RECORD.group || plural !== DELETION_RECORD.plural) return route;
    return { kind: route.kind, api: this.filtered(route.api) };
  }

  private filtered(api: ResourceApi): ResourceApi {
    const { startOf } = this;
    const reads: Pick<ResourceApi, 'get' | 'list' | 'watch'> = {
      async get(ref: ResourceRef, context: CallContext): Promise<KubeObject> {
        const start = await startOf(context.caller, ref.namespace);
        const found = await api.get(ref, context);
        if (!isSince(start, found)) throw notFound(ref.plural, ref.name, ref.group);
        return found;
      },
      async list(type: ResourceType, options: ListOptions, context: CallContext): Promise<KubeList> {
        const start = await startOf(context.caller, options.namespace);
        const page = await api.list(type, options, context);
        return { ...page, items: page.items.filter((item) => isSince(start, item)) };
      },
      async *watch(type: ResourceType, options: WatchOptions, context: CallContext): AsyncGenerator<WatchEvent> {
        const start = await startOf(context.caller, options.namespace);
        for await (const event of api.watch(type, options, context)) {
          if (event.type === 'BOOKMARK' || isSince(start, event.object)) yield event;
        }
      },
    };
    return new Proxy(api, {
      get(target, property, receiver) {
        if (Object.hasOwn(reads, property)) return reads[property as keyof typeof reads];
        const value: unknown = Reflect.get(target, property, receiver);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
  }
}

function isSince(start: Date | undefined, { metadata }: KubeObject): boolean {
  return start === undefined || new Date(metadata.creationTimestamp) >= start;
}
