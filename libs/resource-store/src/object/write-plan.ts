import type { KubeObject } from '@crate/api';
import { guardChanged, type GuardedObjects, type StoreGuard } from '../guard.js';
import type { ChangeNotice, ObjectKey } from '../resource-store.js';
import { isSameJson } from './json.js';

/** Reads the stored objects that a write depends on. Each read may see a different moment; the commit verifies them all. */
export abstract class ObjectReader {
  abstract find(key: ObjectKey): Promise<KubeObject | undefined>;
  abstract findByUid(uid: string): Promise<KubeObject | undefined>;
  /** All objects with an ownerReference to `uid`. */
  abstract dependentsOf(uid: string): Promise<readonly KubeObject[]>;
  /** Whether the log still knows that an object of this uid was removed. */
  abstract wasRemoved(uid: string): Promise<boolean>;
  /** `digestOf` of what there is. */
  abstract digest(objects: GuardedObjects): Promise<string>;
}

export interface PlannedChange {
  readonly type: ChangeNotice['type'];
  readonly object: KubeObject;
}

/** What must still hold when the changes are committed; otherwise nothing is, and the write is planned anew. */
export interface Expectations {
  /** resourceVersion by uid; null: no such object. */
  readonly versions: ReadonlyMap<string, string | null>;
  /** Number of dependents by owner uid. With `versions` this fixes who they are. */
  readonly dependents: ReadonlyMap<string, number>;
  readonly absent: ObjectKey | undefined;
  readonly guards: readonly StoreGuard[];
}

/** The changes of one write, decided against what was read, to be committed together or not at all. */
export class WritePlan implements Expectations {
  readonly versions = new Map<string, string | null>();
  readonly dependents = new Map<string, number>();
  absent: ObjectKey | undefined;
  private readonly planned: PlannedChange[] = [];
  /** Objects as they were read first, by uid. */
  private readonly read = new Map<string, KubeObject>();
  /** Objects as the plan leaves them, by uid; undefined once removed. */
  private readonly current = new Map<string, KubeObject | undefined>();
  private readonly removedHere = new Set<string>();

  constructor(
    private readonly reader: ObjectReader,
    /** Leave to the commit what it finds out anyway, such as whether a name is taken; false once it has refused. */
    readonly isOptimistic: boolean,
    readonly guards: readonly StoreGuard[] = [],
  ) {}

  /** Throws the Conflict of a guard that does not hold. An optimistic plan leaves that to the commit. */
  async requireGuards(): Promise<void> {
    if (this.isOptimistic) return;
    for (const guard of this.guards) {
      if ((await this.reader.digest(guard)) !== guard.digest) throw guardChanged(guard);
    }
  }

  get changes(): readonly PlannedChange[] {
    return this.planned;
  }

  /** The stored state that the plan was made on; undefined for an object that the plan creates. */
  before(uid: string): KubeObject | undefined {
    return this.read.get(uid);
  }

  async find(key: ObjectKey): Promise<KubeObject | undefined> {
    const found = await this.reader.find(key);
    if (found) this.remember(found.metadata.uid, found);
    return found;
  }

  /** Takes an object that was read before for what is stored; the commit refuses the plan when it is not. */
  assume(object: KubeObject): KubeObject {
    this.remember(object.metadata.uid, object);
    return object;
  }

  async findByUid(uid: string): Promise<KubeObject | undefined> {
    if (!this.current.has(uid)) this.remember(uid, await this.reader.findByUid(uid));
    return this.current.get(uid);
  }

  async wasRemoved(uid: string): Promise<boolean> {
    return this.removedHere.has(uid) || this.reader.wasRemoved(uid);
  }

  /** Objects that refer to `owner` as the plan leaves them. A reference across namespaces or to itself does not count. */
  async dependentsOf(owner: KubeObject): Promise<readonly KubeObject[]> {
    const { uid, namespace } = owner.metadata;
    const stored = await this.reader.dependentsOf(uid);
    this.dependents.set(uid, stored.length);
    for (const object of stored) this.remember(object.metadata.uid, object);
    const objects = [...this.current.values()].filter((object) => object !== undefined);
    return objects.filter(
      ({ metadata }) =>
        metadata.uid !== uid &&
        (namespace === undefined || metadata.namespace === namespace) &&
        metadata.ownerReferences?.some((reference) => reference.uid === uid),
    );
  }

  /** Makes the write fail when the key is taken by then. */
  expectAbsent(key: ObjectKey): void {
    this.absent = key;
  }

  create(object: KubeObject): void {
    this.current.set(object.metadata.uid, object);
    this.planned.push({ type: 'ADDED', object });
  }

  /** Does nothing when the object is like that already. */
  replace(object: KubeObject): void {
    if (isSameJson(this.current.get(object.metadata.uid), object)) return;
    this.supersede(object, 'MODIFIED');
    this.current.set(object.metadata.uid, object);
  }

  remove(object: KubeObject): void {
    this.supersede(object, 'DELETED');
    this.current.set(object.metadata.uid, undefined);
    this.removedHere.add(object.metadata.uid);
  }

  /** The first read counts: a later one that differs makes the commit fail, as it should. */
  private remember(uid: string, object: KubeObject | undefined): void {
    if (this.current.has(uid)) return;
    this.current.set(uid, object);
    if (object) this.read.set(uid, object);
    this.versions.set(uid, object?.metadata.resourceVersion ?? null);
  }

  /** Watchers see one change for each object of a write: an earlier MODIFIED of the same plan is dropped. */
  private supersede(object: KubeObject, type: 'MODIFIED' | 'DELETED'): void {
    const earlier = this.planned.findIndex(
      (change) => change.type === 'MODIFIED' && change.object.metadata.uid === object.metadata.uid,
    );
    if (earlier >= 0) this.planned.splice(earlier, 1);
    this.planned.push({ type, object });
  }
}
