import type { KindDefinition } from '@crate/api';
import type { Route } from '@crate/resource-client';
import { kindInfoOf, KindRegistry, LocalResourceApi } from '@crate/resource-server';
import { InMemoryResourceStore, MemoryState } from '@crate/resource-store';
import { z } from 'zod';

const CUSTOM_RESOURCE_DEFINITION: KindDefinition = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  singular: 'customresourcedefinition',
  shortNames: ['crd', 'crds'],
  categories: [],
  namespaced: false,
  description:
    'There are none: the kinds of Crate are built in. Clients may ask, and find the schemas of all kinds in OpenAPI.',
  body: z.looseObject({}),
  printerColumns: [],
  hasStatus: false,
  selectableFields: [],
  subresources: [],
  verbs: ['get', 'list', 'watch'],
};

/**
 * An empty list of CustomResourceDefinitions. Terraform's `kubernetes_manifest` and its like ask for it before they look for a kind in
 * OpenAPI, and plan nothing where the list itself is not to be had. As for kinds that are built into Kubernetes, nothing is in it: what
 * a definition would say, discovery and OpenAPI say already, and a second description could differ.
 */
export function noCustomResourceDefinitions(): Route {
  const kinds = new KindRegistry([{ definition: CUSTOM_RESOURCE_DEFINITION }]);
  // From revision 1 on: client-go, and so Argo CD, begins no watch at the "0" of a list in which nothing was ever written.
  const store = new InMemoryResourceStore({}, new MemoryState(1));
  return {
    kind: kindInfoOf(CUSTOM_RESOURCE_DEFINITION),
    api: new LocalResourceApi({ store, kinds }),
  };
}
