import type { AddOn, CloudAccount, KubeObject } from '@crate/api';
import { SharedFinds, type TypedClient } from '@crate/resource-client';
import { RememberedObjects, type WriteAttempt } from '@crate/resource-server';

/** Where a reference may lead. What is found there is shared, and not to be changed. */
export type References<T extends KubeObject> = Pick<TypedClient<T>, 'find' | 'list'>;

/** Accounts belong to another service: those who look for one at the same time look together. */
export function accountReferences(accounts: TypedClient<CloudAccount>): References<CloudAccount> {
  const shared = new SharedFinds(accounts);
  return {
    find: (name, namespace) => shared.find(name, namespace),
    list: (options) => accounts.list(options),
  };
}

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
