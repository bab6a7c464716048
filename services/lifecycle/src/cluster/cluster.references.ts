import type { AddOn, KubeObject } from '@crate/api';
import type { TypedClient } from '@crate/resource-client';
import { RememberedObjects, type WriteAttempt } from '@crate/resource-server';

/** Where a reference may lead. What is found there is shared, and not to be changed. */
export type References<T extends KubeObject> = Pick<TypedClient<T>, 'find' | 'list'>;

/** Add-ons change rarely: an attempt of a write is judged by those that are remembered, where it may be. */
export function addOnReferences(
  catalogue: TypedClient<AddOn>,
): (attempt: WriteAttempt | undefined) => References<AddOn> {
  const remembered = new RememberedObjects(catalogue);
  return (attempt) => ({
    find: (name) => remembered.find(name, undefined, attempt),
    list: (options) => catalogue.list(options),
  });
}
