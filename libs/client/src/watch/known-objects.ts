import type { KubeObject, WatchEvent } from '@crate/api';

/** What a watcher has been told of, so that a new list can be told as changes. */
export class KnownObjects<T extends KubeObject> {
  private objects = new Map<string, T>();

  /** The changes that lead from what was known to a new list. */
  replace(items: readonly T[]): WatchEvent<T>[] {
    const before = this.objects;
    this.objects = new Map(items.map((item) => [keyOf(item), item]));
    const gone = [...before].filter(([key, object]) => this.objects.get(key)?.metadata.uid !== object.metadata.uid);
    const events = items.flatMap((item) => this.changeOf(before.get(keyOf(item)), item));
    return [...gone.map(([, object]) => ({ type: 'DELETED' as const, object })), ...events];
  }

  /** Remembers a change. */
  note({ type, object }: WatchEvent<T>): void {
    if (type === 'DELETED') this.objects.delete(keyOf(object));
    else this.objects.set(keyOf(object), object);
  }

  private changeOf(before: T | undefined, now: T): WatchEvent<T>[] {
    if (!before || before.metadata.uid !== now.metadata.uid) return [{ type: 'ADDED', object: now }];
    const isSame = before.metadata.resourceVersion === now.metadata.resourceVersion;
    return isSame ? [] : [{ type: 'MODIFIED', object: now }];
  }
}

function keyOf({ metadata: { namespace = '', name } }: KubeObject): string {
  return `${namespace}/${name}`;
}
