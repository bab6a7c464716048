import { useMemo, useSyncExternalStore } from 'react';
import { LiveList, type Identified, type LiveSnapshot } from './live-list.js';
import { collectionPath, type ApiKind } from './paths.js';

/** Which objects of a kind. */
export interface LiveSelection {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

/** A list, and how to ask anew. */
export interface Live<T> extends LiveSnapshot<T> {
  readonly retry: () => void;
}

/** One object; undefined while it is loading, and when there is none (`liveness` tells which). */
export interface LiveObject<T> extends Omit<Live<T>, 'items'> {
  readonly object: T | undefined;
}

/** Lists that nobody looks at and that are kept, as somebody may come back: a page of a cluster has about five. */
const MOST_IDLE = 50;

/** Those that nobody looks at are in the order in which they were left. */
const shared = new Map<string, LiveList<Identified>>();

/** Objects of a kind, live. Everybody who asks for the same shares one watch. */
export function useLiveList<T extends Identified>(kind: ApiKind, selection: LiveSelection = {}): Live<T> {
  const { namespace, labelSelector, fieldSelector } = selection;
  const list = useMemo(
    () => sharedList<T>(collectionPath(kind, namespace), { labelSelector, fieldSelector }),
    [kind, namespace, labelSelector, fieldSelector],
  );
  const snapshot = useSyncExternalStore(list.subscribe, list.current);
  return useMemo(() => ({ ...snapshot, retry: () => list.restart() }), [snapshot, list]);
}

/** One object, live. */
export function useLiveObject<T extends Identified>(kind: ApiKind, name: string, namespace?: string): LiveObject<T> {
  const { items, ...rest } = useLiveList<T>(kind, { namespace, fieldSelector: `metadata.name=${name}` });
  return { ...rest, object: items[0] };
}

function sharedList<T extends Identified>(
  path: string,
  selectors: Readonly<Record<string, string | undefined>>,
): LiveList<T> {
  const stated = Object.entries(selectors).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const key = `${path}?${new URLSearchParams(stated).toString()}`;
  const known = shared.get(key);
  if (known) return known as LiveList<T>;
  const made = new LiveList<Identified>(path, Object.fromEntries(stated), () => leave(key, made));
  shared.set(key, made);
  return made as LiveList<T>;
}

/** Nobody looks at the list any more; those that were left the longest ago go. */
function leave(key: string, list: LiveList<Identified>): void {
  // Somebody else may have signed in since.
  if (shared.get(key) !== list) return;
  shared.delete(key);
  shared.set(key, list);
  const idle = [...shared].filter(([, { isIdle }]) => isIdle);
  for (const [oldest] of idle.slice(0, -MOST_IDLE)) shared.delete(oldest);
}

/** Forgets all lists, as when somebody else signs in. */
export function forgetLiveLists(): void {
  shared.clear();
}
