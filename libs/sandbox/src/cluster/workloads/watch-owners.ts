import type { KindDefinition } from '@crate/api';
import type { ClusterKey, KeysOf } from '../runtime/cluster-loop.js';
import { collectionKey, controllerOf } from '../runtime/object-cache.js';

type Watches = ReadonlyMap<string, KeysOf>;

/** Wakes for changes of the kind itself, and of `dependents` that one of its objects controls. */
export function watchOwned(kind: KindDefinition, ...dependents: readonly KindDefinition[]): Watches {
  const own: KeysOf = ({ key }) => [{ namespace: key.namespace, name: key.name }];
  const ofOwner: KeysOf = ({ key, before, after }) => {
    const owners = [controllerOf(before), controllerOf(after)].filter((owner) => owner?.kind === kind.kind);
    return [...new Set(owners.map((owner) => owner?.name ?? ''))].map((name) => ({ namespace: key.namespace, name }));
  };
  return new Map([
    [collectionKey(kind), own],
    ...dependents.map((dependent): [string, KeysOf] => [collectionKey(dependent), ofOwner]),
  ]);
}

/** The key of the changed object itself. */
export function ownKey({ key }: { readonly key: ClusterKey }): readonly ClusterKey[] {
  return [{ namespace: key.namespace, name: key.name }];
}
