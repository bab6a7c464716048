import type { KindDefinition, KubeObject } from '@crate/api';
import type { ChangeNotice, Collection, ObjectKey, ResourceStore } from '@crate/resource-store';

/** A change as reconcilers see it: `after` is absent when the object is gone, `before` when it is new. */
export interface CacheChange {
  readonly key: ObjectKey;
  readonly before?: KubeObject;
  readonly after?: KubeObject;
}

type Listener = (change: CacheChange) => void;
type KindOf = Pick<KindDefinition, 'group' | 'kind'>;

/** The objects of a few kinds, in memory and indexed by owner, kept up to date by the store's change notices. */
export class ObjectCache {
  private readonly objects = new Map<string, Map<string, KubeObject>>();
  private readonly byOwner = new Map<string, Set<KubeObject>>();
  private readonly listeners = new Set<Listener>();
  /** Notices are followed one after the other, so that a late read cannot undo a newer one. */
  private following: Promise<void> = Promise.resolve();
  private stop: () => void = () => undefined;

  private constructor(private readonly store: ResourceStore) {}

  static async open(store: ResourceStore, kinds: readonly KindOf[]): Promise<ObjectCache> {
    const cache = new ObjectCache(store);
    for (const { group, kind } of kinds) cache.objects.set(collectionKey({ group, kind }), new Map());
    cache.stop = store.onChange((notices) => cache.follow(notices));
    for (const { group, kind } of kinds) {
      const { items } = await store.list({ group, kind });
      for (const item of items) cache.put({ group, kind, ...place(item) }, item);
    }
    return cache;
  }

  /** Resolves when every change told of so far has been taken in. */
  async caughtUp(): Promise<void> {
    await this.following;
  }

  /** Stops following the store. */
  close(): void {
    this.stop();
    this.listeners.clear();
  }

  /** Called after the cache has taken a change in. */
  onChange(listener: Listener): void {
    this.listeners.add(listener);
  }

  find<T extends KubeObject>(kind: KindDefinition<T>, name: string, namespace = ''): T | undefined {
    return this.objects.get(collectionKey(kind))?.get(`${namespace}/${name}`) as T | undefined;
  }

  list<T extends KubeObject>(kind: KindDefinition<T>, namespace?: string): T[] {
    const all = [...(this.objects.get(collectionKey(kind))?.values() ?? [])] as T[];
    return namespace === undefined ? all : all.filter((object) => object.metadata.namespace === namespace);
  }

  /** Objects of a kind whose controller is the object with that uid. */
  ownedBy<T extends KubeObject>(kind: KindDefinition<T>, uid: string): T[] {
    return [...(this.byOwner.get(uid) ?? [])].filter((object) => object.kind === kind.kind) as T[];
  }

  /** Every object, for a first look at all of them. */
  *all(): Generator<CacheChange> {
    for (const [collection, objects] of this.objects) {
      const [group = '', kind = ''] = collection.split('|');
      for (const after of objects.values()) yield { key: { group, kind, ...place(after) }, after };
    }
  }

  /** Takes in an object just written, ahead of the store's notice, so that the writer sees its own write. */
  written(key: ObjectKey, object: KubeObject | undefined): void {
    if (object) this.put(key, object);
    else this.drop(key);
  }

  /** Reads one object anew, as after a lost race. */
  async refresh(key: ObjectKey): Promise<void> {
    this.written(key, await this.store.find(key));
  }

  private follow(notices: readonly ChangeNotice[]): void {
    const known = notices.filter(({ key }) => this.objects.has(collectionKey(key)));
    if (known.length === 0) return;
    this.following = this.following.then(async () => {
      for (const { key } of known) await this.refresh(key);
    });
  }

  private put(key: ObjectKey, object: KubeObject): void {
    const collection = this.objects.get(collectionKey(key));
    if (!collection) return;
    const id = `${key.namespace}/${key.name}`;
    const before = collection.get(id);
    if (before && !isNewer(object, before)) return;
    collection.set(id, object);
    this.index(before, object);
    this.announce({ key, after: object, ...(before ? { before } : {}) });
  }

  private drop(key: ObjectKey): void {
    const collection = this.objects.get(collectionKey(key));
    const before = collection?.get(`${key.namespace}/${key.name}`);
    if (!collection || !before) return;
    collection.delete(`${key.namespace}/${key.name}`);
    this.index(before, undefined);
    this.announce({ key, before });
  }

  private index(before: KubeObject | undefined, after: KubeObject | undefined): void {
    const [oldOwner, newOwner] = [controllerOf(before)?.uid, controllerOf(after)?.uid];
    if (before && oldOwner !== undefined) {
      const owned = this.byOwner.get(oldOwner);
      owned?.delete(before);
      if (owned?.size === 0) this.byOwner.delete(oldOwner);
    }
    if (!after || newOwner === undefined) return;
    const owned = this.byOwner.get(newOwner) ?? new Set();
    this.byOwner.set(newOwner, owned.add(after));
  }

  private announce(change: CacheChange): void {
    for (const listener of this.listeners) listener(change);
  }
}

/** The owner that controls the object, if any. */
export function controllerOf(
  object: KubeObject | undefined,
): { readonly uid: string; readonly kind: string; readonly name: string } | undefined {
  return object?.metadata.ownerReferences?.find((owner) => owner.controller === true);
}

/** Identity of a kind inside the cache. */
export function collectionKey({ group, kind }: Collection): string {
  return `${group}|${kind}`;
}

function place(object: KubeObject): { readonly namespace: string; readonly name: string } {
  return { namespace: object.metadata.namespace ?? '', name: object.metadata.name };
}

function isNewer(object: KubeObject, than: KubeObject): boolean {
  if (object.metadata.uid !== than.metadata.uid) return true;
  return Number(object.metadata.resourceVersion) > Number(than.metadata.resourceVersion);
}
