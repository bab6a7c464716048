import { DELETION_RECORD, type KubeList, type KubeObject, type WatchEvent } from '@crate/api';
import { notFound } from '@crate/errors';
import {
  ResourceRouter,
  type CallContext,
  type DeleteOptions,
  type KindInfo,
  type ListOptions,
  type ResourceApi,
  type ResourceRef,
  type ResourceType,
  type Route,
  type WatchOptions,
  withMethods,
} from '@crate/resource-client';
import { isContinuedBehind } from '@crate/resource-store';
import type { HistoryStart } from '../access/history-start.js';
import { goneOn, shownPage } from './shown-page.js';

type Reads = Partial<Pick<ResourceApi, 'get' | 'list' | 'watch' | 'removeCollection'>>;

/**
 * Each replica stamps what it stores with its own clock. A caller and a callee that are 5 s apart refuse each other, and two replicas of
 * one service may be twice that: nothing that a Project holds seems older than it by more than this.
 */
const APART_MS = 30_000;

/**
 * Hides what is from before its Project, of another one that had its name; platform administrators see all. DeletionRecords outlive
 * their Project. Of other kinds it is in the past only: in what lists and watches tell from a version that the reader states.
 */
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
    if (!route?.kind.namespaced) return route;
    const isRecord = group === DELETION_RECORD.group && plural === DELETION_RECORD.plural;
    const reads = (isRecord ? readsOfRecords : readsOfPast)(route.api, this.startOf);
    return { kind: route.kind, api: withMethods(route.api, reads) };
  }
}

function readsOfRecords(api: ResourceApi, startOf: HistoryStart): Reads {
  return {
    async get(ref: ResourceRef, context: CallContext): Promise<KubeObject> {
      const start = await startOf(context.caller, ref.namespace);
      const found = await api.get(ref, context);
      if (!isSince(start, found)) throw notFound(ref.plural, ref.name, ref.group);
      return found;
    },
    async list(type: ResourceType, options: ListOptions, context: CallContext): Promise<KubeList> {
      const start = await startOf(context.caller, options.namespace);
      if (start === undefined) return api.list(type, options, context);
      return shownPage(
        (read) => api.list(type, read, context),
        options,
        (item) => isSince(start, item),
      );
    },
    async *watch(type: ResourceType, options: WatchOptions, context: CallContext): AsyncGenerator<WatchEvent> {
      const start = await startOf(context.caller, options.namespace);
      yield* eventsSince(start, api.watch(type, options, context));
    },
  };
}

function readsOfPast(api: ResourceApi, startOf: HistoryStart): Reads {
  const earliest: HistoryStart = async (caller, namespace) => {
    const start = await startOf(caller, namespace);
    return start && new Date(start.getTime() - APART_MS);
  };
  const list: ResourceApi['list'] = async (type, options, context) => {
    if (!isOfPast(options)) return api.list(type, options, context);
    const start = await earliest(context.caller, options.namespace);
    const page = await api.list(type, options, context);
    const isShown = (item: KubeObject): boolean => isSince(start, item);
    // What is behind a page may be hidden, too, and is counted in it. Views have tokens of their own, which cannot be made here.
    const mayTell = start !== undefined && isOfStore(page);
    if (!mayTell && page.items.every(isShown)) return page;
    return goneOn(page, (read) => api.list(type, read, context), options, isShown);
  };
  async function* watch(type: ResourceType, options: WatchOptions, context: CallContext): AsyncGenerator<WatchEvent> {
    const start = await earliest(context.caller, options.namespace);
    yield* eventsSince(start, api.watch(type, options, context));
  }
  return {
    list,
    watch: (type, options, context) => (isOfPast(options) ? watch : api.watch.bind(api))(type, options, context),
    async removeCollection(type: ResourceType, which: ListOptions, options: DeleteOptions, context: CallContext) {
      if (!isOfPast(which)) return api.removeCollection(type, which, options, context);
      const start = await earliest(context.caller, which.namespace);
      const { metadata, ...page } = await api.list(type, which, context);
      if (page.items.some((item) => isSince(start, item))) return api.removeCollection(type, which, options, context);
      return { ...page, metadata: { resourceVersion: metadata.resourceVersion }, items: [] };
    },
  };
}

/** Whether what is asked for begins with a version: a token of a page holds one, and "0" is any. */
function isOfPast({ resourceVersion = '', ...rest }: ListOptions | WatchOptions): boolean {
  return !['', '0'].includes(resourceVersion) || ('continue' in rest && rest.continue !== undefined);
}

/** Whether there is more, and the token names the last object of the page. */
function isOfStore({ items, metadata }: KubeList): boolean {
  const last = items.at(-1);
  return last !== undefined && metadata.continue !== undefined && isContinuedBehind(last, metadata.continue);
}

async function* eventsSince(start: Date | undefined, events: AsyncIterable<WatchEvent>): AsyncGenerator<WatchEvent> {
  for await (const event of events) if (event.type === 'BOOKMARK' || isSince(start, event.object)) yield event;
}

function isSince(start: Date | undefined, { metadata }: KubeObject): boolean {
  return start === undefined || new Date(metadata.creationTimestamp) >= start;
}
