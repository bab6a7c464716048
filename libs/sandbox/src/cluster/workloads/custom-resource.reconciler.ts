import { CUSTOM_RESOURCE_DEFINITION, type CustomResourceDefinition } from '../kinds/custom-resource-definition.js';
import type { ClusterKey, ClusterReconciler, KeysOf } from '../runtime/cluster-loop.js';
import type { ClusterScope } from '../runtime/cluster-scope.js';
import { collectionKey } from '../runtime/object-cache.js';
import { setConditions } from './conditions.js';
import { ownKey } from './watch-owners.js';

/** Keeps a definition until its objects are gone. */
export const CUSTOM_RESOURCE_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

const LOOK_AGAIN_MS = 250;

/** Serves the kinds that definitions describe, while there is a definition. */
export class CustomResourceReconciler implements ClusterReconciler {
  readonly name = 'customresourcedefinition';
  readonly watches: ReadonlyMap<string, KeysOf> = new Map([[collectionKey(CUSTOM_RESOURCE_DEFINITION), ownKey]]);

  async reconcile({ name }: ClusterKey, scope: ClusterScope): Promise<number | undefined> {
    const definition = scope.cache.find(CUSTOM_RESOURCE_DEFINITION, name);
    if (!definition) {
      scope.kinds.removeCustom(name);
      return;
    }
    scope.kinds.addCustom(definition);
    if (definition.metadata.deletionTimestamp !== undefined) return this.terminate(definition, scope);
    await scope.update(CUSTOM_RESOURCE_DEFINITION, definition, { status: statusOf(definition, scope.now()) });
  }

  private async terminate(definition: CustomResourceDefinition, scope: ClusterScope): Promise<number | undefined> {
    const collection = { group: definition.spec.group, kind: definition.spec.names.kind };
    const { items } = await scope.store.list(collection);
    await Promise.all(items.map((item) => scope.remove(collection, item)));
    if (items.length > 0 && (await scope.store.list(collection)).items.length > 0) return LOOK_AGAIN_MS;
    const finalizers = (definition.metadata.finalizers ?? []).filter((name) => name !== CUSTOM_RESOURCE_FINALIZER);
    await scope.update(CUSTOM_RESOURCE_DEFINITION, definition, { metadata: { ...definition.metadata, finalizers } });
  }
}

function statusOf({ spec, status }: CustomResourceDefinition, now: string): CustomResourceDefinition['status'] {
  const facts = [
    { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' },
    {
      type: 'Established',
      status: 'True',
      reason: 'InitialNamesAccepted',
      message: 'the initial names have been accepted',
    },
  ];
  return {
    ...status,
    conditions: setConditions(status?.conditions, facts, now),
    acceptedNames: {
      ...spec.names,
      singular: spec.names.singular ?? spec.names.kind.toLowerCase(),
      listKind: spec.names.listKind ?? `${spec.names.kind}List`,
    },
    storedVersions: spec.versions.filter(({ storage }) => storage).map(({ name }) => name),
  };
}
