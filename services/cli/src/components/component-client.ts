import { apiVersionOf, COMPONENT, type Component } from '@crate/api';
import type { ApiClient } from '../client/api-client.js';
import type { ServedKind } from '../objects/served-kinds.js';

/** Known without asking what is served: it is the platform's own. */
export const COMPONENT_KIND: ServedKind = { ...COMPONENT, verbs: ['get', 'list', 'patch', 'watch'], subresources: [] };

const COLLECTION = `/apis/${apiVersionOf(COMPONENT)}/${COMPONENT.plural}`;

/** All components at one moment. */
export interface ListedComponents {
  readonly items: readonly Component[];
  readonly resourceVersion: string;
}

/** There are few: one page has them all. Throws what the API refuses. */
export async function listComponents(api: Pick<ApiClient, 'get'>): Promise<ListedComponents> {
  const { items, metadata } = await api.get<{
    readonly items: readonly Component[];
    readonly metadata: { readonly resourceVersion?: string };
  }>(COLLECTION);
  const named = items.map((item) => ({ ...item, apiVersion: apiVersionOf(COMPONENT), kind: COMPONENT.kind }));
  return { items: named, resourceVersion: metadata.resourceVersion ?? '' };
}

/** Sets what a component shall have; null: what is installed. Throws InvalidSpec that names all that is in the way. */
export async function setVersion(api: Pick<ApiClient, 'merge'>, name: string, version: string | null): Promise<void> {
  await api.merge<Component>(`${COLLECTION}/${encodeURIComponent(name)}`, { spec: { version } });
}
