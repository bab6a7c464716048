import type { KubeObject, OwnerReference } from '@crate/api';
import type { StoreRemoveOptions } from '../resource-store.js';
import { timestampOf } from './stored-object.js';
import type { WritePlan } from './write-plan.js';

/** Kubernetes' names: the finalizers its garbage collector works through. */
const FOREGROUND = 'foregroundDeletion';
const ORPHAN = 'orphan';

type PropagationPolicy = NonNullable<StoreRemoveOptions['propagationPolicy']>;

interface OwnersByState {
  /** Still there and staying, or held by another store, which we cannot see. */
  readonly solid: readonly OwnerReference[];
  /** Waiting in foreground deletion for their dependents to go. */
  readonly waiting: readonly OwnerReference[];
  readonly gone: readonly OwnerReference[];
}

/**
 * Deletion with its cascade, after Kubernetes' apiserver (which finalizers a request sets) and garbage collector (what becomes of
 * dependents), but in one plan instead of over time. Source: pkg/controller/garbagecollector/garbagecollector.go.
 */
export class Removal {
  constructor(
    private readonly plan: WritePlan,
    private readonly now: Date,
  ) {}

  /** A client's or an owner's request to delete: removes the object, or marks it while finalizers remain. */
  async request(object: KubeObject, policy: PropagationPolicy = impliedPolicy(object)): Promise<void> {
    const marked = this.marked(object, policy);
    if (policy === 'Orphan') return this.orphan(marked);
    const { finalizers } = marked.metadata;
    if (!finalizers) return this.drop(object); // Kubernetes shows such an object's last state unmarked.
    this.plan.replace(marked);
    if (policy !== 'Foreground') return;
    for (const dependent of await this.plan.dependentsOf(marked)) await this.collect(dependent.metadata.uid);
    await this.finishForeground(marked.metadata.uid);
  }

  /** Takes the object out of the store and looks at everything that its going may release. */
  async drop(object: KubeObject): Promise<void> {
    this.plan.remove(object);
    for (const dependent of await this.plan.dependentsOf(object)) await this.collect(dependent.metadata.uid);
    for (const owner of ownersOf(object)) await this.finishForeground(owner.uid);
  }

  /** Deletes a dependent if all its owners are gone or going; takes dead references away if some owner stays. */
  async collect(uid: string): Promise<void> {
    const object = await this.plan.findByUid(uid);
    if (!object || ownersOf(object).length === 0) return;
    if (isDeletingDependents(object)) return this.finishForeground(uid);
    if (object.metadata.deletionTimestamp !== undefined) return;

    const owners = await this.ownersByState(object);
    if (owners.solid.length > 0) return this.keepOnly(object, owners);
    if (owners.waiting.length === 0) return this.request(object);
    const dependents = await this.plan.dependentsOf(object);
    if (dependents.length === 0) return this.request(object);
    await this.request(dependents.some(isDeletingDependents) ? this.unblocked(object) : object, 'Foreground');
  }

  /** Ends foreground deletion of an owner once no dependent blocks it any more. */
  async finishForeground(uid: string): Promise<void> {
    const owner = await this.plan.findByUid(uid);
    if (!owner || !isDeletingDependents(owner)) return;
    const dependents = await this.plan.dependentsOf(owner);
    if (dependents.some((dependent) => blocks(dependent, uid))) return;
    await this.replaceOrDrop(
      withFinalizers(
        owner,
        finalizersOf(owner).filter((name) => name !== FOREGROUND),
      ),
    );
  }

  private async orphan(marked: KubeObject): Promise<void> {
    for (const dependent of await this.plan.dependentsOf(marked)) {
      this.plan.replace(
        withOwners(
          dependent,
          ownersOf(dependent).filter((owner) => owner.uid !== marked.metadata.uid),
        ),
      );
    }
    await this.replaceOrDrop(
      withFinalizers(
        marked,
        finalizersOf(marked).filter((name) => name !== ORPHAN),
      ),
    );
  }

  private async replaceOrDrop(object: KubeObject): Promise<void> {
    if (!object.metadata.finalizers) return this.drop(object);
    this.plan.replace(object);
  }

  private async keepOnly(object: KubeObject, { solid, waiting, gone }: OwnersByState): Promise<void> {
    if (waiting.length + gone.length === 0) return;
    this.plan.replace(withOwners(object, solid));
    for (const owner of waiting) await this.finishForeground(owner.uid);
  }

  private async ownersByState(object: KubeObject): Promise<OwnersByState> {
    const solid: OwnerReference[] = [];
    const waiting: OwnerReference[] = [];
    const gone: OwnerReference[] = [];
    for (const reference of ownersOf(object)) {
      const owner = await this.plan.findByUid(reference.uid);
      if (owner && isDeletingDependents(owner)) waiting.push(reference);
      else if (owner ?? !(await this.plan.wasRemoved(reference.uid))) solid.push(reference);
      else gone.push(reference);
    }
    return { solid, waiting, gone };
  }

  /** In a circle of owners somebody must not block; Kubernetes breaks it at the same place. */
  private unblocked(object: KubeObject): KubeObject {
    const owners = ownersOf(object).map((owner) => ({ ...owner, blockOwnerDeletion: false }));
    const next = withOwners(object, owners);
    this.plan.replace(next);
    return next;
  }

  private marked(object: KubeObject, policy: PropagationPolicy): KubeObject {
    const others = finalizersOf(object).filter((name) => name !== FOREGROUND && name !== ORPHAN);
    const added = { Background: [], Foreground: [FOREGROUND], Orphan: [ORPHAN] }[policy];
    const next = withFinalizers(object, [...others, ...added]);
    if (object.metadata.deletionTimestamp !== undefined) return next;
    const { generation } = object.metadata;
    const deletionTimestamp = timestampOf(this.now);
    return {
      ...next,
      metadata: { ...next.metadata, generation: generation + 1, deletionTimestamp, deletionGracePeriodSeconds: 0 },
    };
  }
}

/** The references by which an object may be collected. */
export function ownersOf(object: KubeObject): readonly OwnerReference[] {
  return object.metadata.ownerReferences ?? [];
}

function finalizersOf(object: KubeObject): readonly string[] {
  return object.metadata.finalizers ?? [];
}

function isDeletingDependents(object: KubeObject): boolean {
  return object.metadata.deletionTimestamp !== undefined && finalizersOf(object).includes(FOREGROUND);
}

function blocks(dependent: KubeObject, ownerUid: string): boolean {
  return ownersOf(dependent).some((owner) => owner.uid === ownerUid && owner.blockOwnerDeletion === true);
}

function impliedPolicy(object: KubeObject): PropagationPolicy {
  if (finalizersOf(object).includes(ORPHAN)) return 'Orphan';
  return finalizersOf(object).includes(FOREGROUND) ? 'Foreground' : 'Background';
}

function withFinalizers(object: KubeObject, finalizers: readonly string[]): KubeObject {
  const { finalizers: _old, ...metadata } = object.metadata;
  return { ...object, metadata: { ...metadata, ...(finalizers.length > 0 ? { finalizers: [...finalizers] } : {}) } };
}

function withOwners(object: KubeObject, owners: readonly OwnerReference[]): KubeObject {
  const { ownerReferences: _old, ...metadata } = object.metadata;
  return { ...object, metadata: { ...metadata, ...(owners.length > 0 ? { ownerReferences: [...owners] } : {}) } };
}
