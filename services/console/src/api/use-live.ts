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
  const known = shared.get(key) ?? new LiveList<Identified>(path, Object.fromEntries(stated));
  shared.set(key, known);
  return known as LiveList<T>;
}

/** Forgets all lists, as when somebody else signs in. */
export function forgetLiveLists(): void {
  shared.clear();
}
