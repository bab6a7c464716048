import { PROJECT, type KubeList, type Project, type WatchEvent } from '@crate/api';
import {
  ResourceRouter,
  type CallContext,
  type Caller,
  type KindInfo,
  type ListOptions,
  type ResourceApi,
  type ResourceType,
  type Route,
  type WatchOptions,
  withMethods,
} from '@crate/resource-client';
import { asOfWatch } from '@crate/resource-store';
import { isPlatformAdmin, membersOf, roleIn } from '../access/caller-role.js';
import { shownPage } from './shown-page.js';

/** Projects that are read at a time to know which ones are the caller's. */
const PAGE = 500;

/** Shows everyone in lists and watches of Projects those that they are a member of; platform administrators all. */
export class OwnProjectsRouter extends ResourceRouter {
  constructor(private readonly inner: ResourceRouter) {
    super();
  }

  kinds(): readonly KindInfo[] {
    return this.inner.kinds();
  }

  find(group: string, version: string, plural: string): Route | undefined {
    const route = this.inner.find(group, version, plural);
    if (!route || group !== PROJECT.group || plural !== PROJECT.plural) return route;
    return { kind: route.kind, api: this.filtered(route.api) };
  }

  private filtered(api: ResourceApi): ResourceApi {
    const list = async (type: ResourceType, options: ListOptions, context: CallContext): Promise<KubeList> => {
      const { caller } = context;
      if (isPlatformAdmin(caller)) return api.list(type, options, context);
      return shownPage(
        (read) => api.list(type, read, context),
        options,
        (project) => isMember(project as Project, caller),
      );
    };
    const watch = (type: ResourceType, options: WatchOptions, context: CallContext): AsyncIterable<WatchEvent> =>
      isPlatformAdmin(context.caller) ? api.watch(type, options, context) : ownEvents(api, type, options, context);
    return withMethods(api, { list, watch });
  }
}

/** Whoever becomes a member sees the Project appear, whoever ceases to be one sees it go. */
async function* ownEvents(
  api: ResourceApi,
  type: ResourceType,
  options: WatchOptions,
  context: CallContext,
): AsyncGenerator<WatchEvent> {
  const { caller } = context;
  const { shown, resourceVersion } = beginsWithAll(options)
    ? { shown: new Set<string>(), resourceVersion: options.resourceVersion }
    : await shownBefore(api, type, options, context);
  const from = { ...options, ...(resourceVersion === undefined ? {} : { resourceVersion }) };
  for await (const event of api.watch(type, from, context)) {
    const { name } = event.object.metadata;
    if (event.type === 'BOOKMARK') yield event;
    if (event.type === 'BOOKMARK') continue;
    const isOwn = isMember(event.object as Project, caller);
    const visible = eventFor(event, shown.has(name), isOwn);
    if (isOwn && event.type !== 'DELETED') shown.add(name);
    else shown.delete(name);
    if (visible) yield visible;
  }
}

/** Whether a watch tells what there is before what changes. */
function beginsWithAll({ sendInitialEvents, resourceVersion = '' }: WatchOptions): boolean {
  return sendInitialEvents ?? ['', '0'].includes(resourceVersion);
}

/**
 * What the caller saw at the revision where the watch begins, and that revision. Who the members are by now does not say: they may
 * have changed since, and the watch has yet to tell so. Throws Gone when nobody knows any more, as the watch would.
 */
async function shownBefore(
  api: ResourceApi,
  type: ResourceType,
  { labelSelector, fieldSelector, resourceVersion = '0' }: WatchOptions,
  context: CallContext,
): Promise<{ readonly shown: Set<string>; readonly resourceVersion: string }> {
  const selectors = { ...(labelSelector ? { labelSelector } : {}), ...(fieldSelector ? { fieldSelector } : {}) };
  const shown = new Set<string>();
  let place: ListOptions = resourceVersion === '0' ? {} : { resourceVersion, resourceVersionMatch: 'Exact' };
  for (;;) {
    const page = api.list(type, { ...selectors, ...place, limit: PAGE }, context);
    const { items, metadata } = await page.catch((error: unknown) => {
      throw asOfWatch(error);
    });
    for (const item of items) if (isMember(item as Project, context.caller)) shown.add(item.metadata.name);
    if (metadata.continue === undefined) return { shown, resourceVersion: metadata.resourceVersion };
    place = { continue: metadata.continue };
  }
}

function isMember(project: Project, caller: Caller): boolean {
  return roleIn(project.metadata.name, membersOf(project), caller) !== undefined;
}

function eventFor(event: WatchEvent, wasShown: boolean, isOwn: boolean): WatchEvent | undefined {
  if (event.type === 'DELETED')
    return wasShown || isOwn ? { ...event, object: isOwn ? event.object : bare(event) } : undefined;
  if (!isOwn) return wasShown ? { type: 'DELETED', object: bare(event) } : undefined;
  return wasShown ? event : { ...event, type: 'ADDED' };
}

/** Enough to know which one is gone, and nothing of what it has become since. */
function bare({ object: { apiVersion, kind, metadata } }: WatchEvent): WatchEvent['object'] {
  const { name, uid, resourceVersion, creationTimestamp, generation } = metadata;
  return { apiVersion, kind, metadata: { name, uid, resourceVersion, creationTimestamp, generation } };
}
