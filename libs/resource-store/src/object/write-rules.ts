import type { KubeObject } from '@crate/api';
import { alreadyExists, notFound } from '@crate/errors';
import type { ObjectKey, StoreRemoveOptions } from '../resource-store.js';
import { isSameJson } from './json.js';
import { keyOf } from './object-key.js';
import { ownersOf, Removal } from './removal.js';
import { copyInput, isUnchanged, newObject, nextObject, requireVersion } from './stored-object.js';
import type { WritePlan } from './write-plan.js';

/** What a write takes from outside; injected so that tests decide. */
export interface WriteContext {
  readonly now: Date;
  readonly newUid: () => string;
}

/** Plans a write and gives the object it is about, as it is when the plan changes nothing. */
export type WriteRule = (plan: WritePlan, context: WriteContext) => Promise<KubeObject>;

/** Throws AlreadyExists. A dependent whose owners are gone already is created and collected at once, as Kubernetes would. */
export function createRule(input: KubeObject): WriteRule {
  const copy = copyInput(input);
  const key = keyOf(copy);
  return async (plan, context) => {
    if (!plan.isOptimistic && (await plan.find(key))) throw alreadyExists(key.kind, key.name, key.group);
    plan.expectAbsent(key);
    const object = newObject(copy, { uid: context.newUid(), now: context.now });
    plan.create(object);
    if (ownersOf(object).length > 0) await new Removal(plan, context.now).collect(object.metadata.uid);
    return object;
  };
}

/** Throws NotFound, Conflict, InvalidSpec. */
export function updateRule(input: KubeObject, seen?: KubeObject): WriteRule {
  const copy = copyInput(input);
  const key = keyOf(copy);
  return async (plan, context) => {
    const current = seen && plan.isOptimistic ? plan.assume(seen) : await plan.find(key);
    if (!current) throw notFound(key.kind, key.name, key.group);
    requireVersion(current, copy.metadata);
    const next = nextObject(current, copy);
    if (isUnchanged(current, next)) return current;

    const removal = new Removal(plan, context.now);
    if (next.metadata.deletionTimestamp !== undefined && !next.metadata.finalizers) {
      await removal.drop(next);
      return next;
    }
    plan.replace(next);
    if (!isSameJson(ownersOf(current), ownersOf(next))) {
      await removal.collect(next.metadata.uid);
      for (const owner of ownersOf(current)) await removal.finishForeground(owner.uid);
    }
    return next;
  };
}

/** Throws NotFound, Conflict. */
export function removeRule(key: ObjectKey, options: StoreRemoveOptions): WriteRule {
  return async (plan, context) => {
    const current = await plan.find(key);
    if (!current) throw notFound(key.kind, key.name, key.group);
    requireVersion(current, options);
    await new Removal(plan, context.now).request(current, options.propagationPolicy);
    return current;
  };
}
