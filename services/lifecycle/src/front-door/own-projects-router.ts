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
} from '@crate/resource-client';
import { isPlatformAdmin, membersOf, roleIn } from '../access/caller-role.js';
import type { ProjectMembers } from '../access/project-members.js';

/** Shows everyone in lists and watches of Projects those that they are a member of; platform administrators all. */
export class OwnProjectsRouter extends ResourceRouter {
  constructor(
    private readonly inner: ResourceRouter,
    private readonly members: Pick<ProjectMembers, 'roleOf'>,
  ) {
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
      const page = await api.list(type, options, context);
      return isPlatformAdmin(context.caller) ? page : ownOnly(page, context.caller);
    };
    const watch = (type: ResourceType, options: WatchOptions, context: CallContext): AsyncIterable<WatchEvent> => {
      const events = api.watch(type, options, context);
      return isPlatformAdmin(context.caller) ? events : this.ownEvents(events, context.caller);
    };
    return new Proxy(api, {
      get(target, property, receiver) {
        if (property === 'list') return list;
        if (property === 'watch') return watch;
        const value: unknown = Reflect.get(target, property, receiver);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
  }

  /** Whoever becomes a member sees the Project appear, whoever ceases to be one sees it go. */
  private async *ownEvents(events: AsyncIterable<WatchEvent>, caller: Caller): AsyncGenerator<WatchEvent> {
    const shown = new Map<string, boolean>();
    for await (const event of events) {
      const { name } = event.object.metadata;
      if (event.type === 'BOOKMARK') yield event;
      if (event.type === 'BOOKMARK') continue;
      const isOwn = isMember(event.object as Project, caller);
      // Of what changed for the first time since the watch began, the members known now say whether it was shown before.
      const wasShown = shown.get(name) ?? (event.type !== 'ADDED' && this.members.roleOf(caller, name) !== undefined);
      shown.set(name, isOwn && event.type !== 'DELETED');
      const visible = eventFor(event, wasShown, isOwn);
      if (visible) yield visible;
    }
  }
}

function ownOnly(page: KubeList, caller: Caller): KubeList {
  // How many are left counts the Projects of others too.
  const { remainingItemCount: _hidden, ...metadata } = page.metadata as KubeList['metadata'] & {
    readonly remainingItemCount?: number;
  };
  return { ...page, metadata, items: page.items.filter((item) => isMember(item as Project, caller)) };
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
