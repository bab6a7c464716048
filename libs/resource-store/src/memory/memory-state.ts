import type { KubeObject } from '@crate/api';
import type { Change } from '../change/change.js';
import { digestOf, type GuardedObjects } from '../guard.js';
import { compareKeys, keyOf, keyText } from '../object/object-key.js';
import { ObjectReader } from '../object/write-plan.js';
import type { ObjectKey } from '../resource-store.js';
import { goneError, type Revision } from '../revision.js';
import type { CompiledQuery } from '../selector/compiled-query.js';

/** A change with the state it replaced, so that it can be undone. */
export interface UndoableChange extends Change {
  readonly previous: KubeObject | undefined;
}

/** All objects and the log, as plain data. Objects are frozen and shared. */
export class MemoryState extends ObjectReader {
  private readonly objects = new Map<string, KubeObject>();
  private readonly uids = new Map<string, string>();
  private readonly dependents = new Map<string, Set<string>>();
  private readonly removed = new Set<string>();
  private log: UndoableChange[] = [];

  constructor(
    /** Changes up to here are forgotten. */
    public floor: Revision = 0,
    objects: readonly KubeObject[] = [],
  ) {
    super();
    for (const object of objects) this.set(object);
  }

  get head(): Revision {
    return this.floor + this.log.length;
  }

  get objectCount(): number {
    return this.objects.size;
  }

  /** The log after `cursor`, at most `limit` entries. Throws Gone. */
  changesAfter(cursor: Revision, limit: number): readonly UndoableChange[] {
    if (cursor < this.floor || cursor > this.head) throw goneError(cursor, this.floor, this.head);
    const begin = cursor - this.floor;
    return this.log.slice(begin, begin + limit);
  }

  find(key: ObjectKey): Promise<KubeObject | undefined> {
    return this.findByUid(this.uids.get(keyText(key)) ?? '');
  }

  findByUid(uid: string): Promise<KubeObject | undefined> {
    return Promise.resolve(this.objects.get(uid));
  }

  dependentsOf(uid: string): Promise<readonly KubeObject[]> {
    const objects = [...(this.dependents.get(uid) ?? [])].map((dependent) => this.objects.get(dependent));
    const found = objects.filter((object) => object !== undefined);
    return Promise.resolve(found.sort((left, right) => compareKeys(keyOf(left), keyOf(right))));
  }

  wasRemoved(uid: string): Promise<boolean> {
    return Promise.resolve(this.removed.has(uid));
  }

  digest({ group, kind, namespace, name }: GuardedObjects): Promise<string> {
    const found = [...this.objects.values()].filter((object) => {
      const key = keyOf(object);
      const isOfKind = key.group === group && key.kind === kind && key.namespace === namespace;
      return isOfKind && (name === undefined || key.name === name);
    });
    return Promise.resolve(digestOf(found));
  }

  /** Matching objects in the order of lists, as they were at `revision`. Throws Gone. */
  list(query: CompiledQuery, revision: Revision): readonly KubeObject[] {
    const changed = new Map<string, KubeObject | undefined>();
    for (const change of this.changesAfter(revision, Infinity)) {
      if (!changed.has(change.uid)) changed.set(change.uid, change.previous);
    }
    const unchanged = [...this.objects.values()].filter((object) => !changed.has(object.metadata.uid));
    const before = [...changed.values()].filter((object) => object !== undefined);
    const matching = [...unchanged, ...before].filter((object) => query.matches(object));
    return matching.sort((left, right) => compareKeys(keyOf(left), keyOf(right)));
  }

  apply(change: Change): void {
    const previous = this.objects.get(change.uid);
    this.log.push({ ...change, previous });
    if (previous) this.unset(previous);
    if (change.type === 'DELETED') this.removed.add(change.uid);
    else this.set(change.object);
  }

  /** Forgets all but the newest `keep` changes. */
  compact(keep: number): void {
    const forgotten = this.log.slice(0, Math.max(0, this.log.length - keep));
    for (const { uid, type } of forgotten) if (type === 'DELETED') this.removed.delete(uid);
    this.floor += forgotten.length;
    this.log = this.log.slice(forgotten.length);
  }

  /** The objects as they were before the first change of the log. */
  objectsAtFloor(): readonly KubeObject[] {
    const objects = new Map(this.objects);
    for (const { uid, previous } of [...this.log].reverse()) {
      if (previous) objects.set(uid, previous);
      else objects.delete(uid);
    }
    return [...objects.values()];
  }

  private set(object: KubeObject): void {
    const { uid, ownerReferences = [] } = object.metadata;
    this.objects.set(uid, object);
    this.uids.set(keyText(keyOf(object)), uid);
    for (const owner of ownerReferences) {
      const siblings = this.dependents.get(owner.uid) ?? new Set();
      this.dependents.set(owner.uid, siblings.add(uid));
    }
  }

  private unset(object: KubeObject): void {
    const { uid, ownerReferences = [] } = object.metadata;
    this.objects.delete(uid);
    this.uids.delete(keyText(keyOf(object)));
    for (const owner of ownerReferences) {
      const siblings = this.dependents.get(owner.uid);
      siblings?.delete(uid);
      if (siblings?.size === 0) this.dependents.delete(owner.uid);
    }
  }
}
