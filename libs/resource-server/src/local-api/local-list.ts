import { apiVersionOf, type KubeList } from '@crate/api';
import { badRequest } from '@crate/errors';
import type { ListOptions, WatchOptions } from '@crate/resource-client';
import type { ResourceStore, StoreListOptions, StoreQuery } from '@crate/resource-store';
import type { RegisteredKind } from '../kinds/kind-registry.js';

/** Which objects the options ask for. */
export function queryOf(kind: RegisteredKind, options: ListOptions | WatchOptions): StoreQuery {
  const { namespace, labelSelector, fieldSelector } = options;
  return {
    group: kind.definition.group,
    kind: kind.definition.kind,
    ...(namespace ? { namespace } : {}),
    ...(labelSelector ? { labelSelector } : {}),
    ...(fieldSelector ? { fieldSelector } : {}),
  };
}

/** One page, in the version asked for. */
export async function listKind(store: ResourceStore, kind: RegisteredKind, options: ListOptions): Promise<KubeList> {
  const page = await store.list(queryOf(kind, options), storeOptions(options));
  return {
    ...page,
    apiVersion: apiVersionOf(kind.definition),
    kind: `${kind.definition.kind}List`,
    items: page.items.map(kind.present),
  };
}

/** The revision that a client states; undefined when it has none, or takes any ("0"). Throws BadRequest. */
export function statedRevision(resourceVersion: string | undefined): string | undefined {
  if (resourceVersion === undefined || resourceVersion === '') return undefined;
  // The store takes shorter ones only; a view of several stores puts theirs into one.
  if (!/^\d{1,512}$/.test(resourceVersion)) {
    throw badRequest(`invalid resourceVersion ${JSON.stringify(resourceVersion)}: want the one of an object or a list`);
  }
  return resourceVersion === '0' ? undefined : resourceVersion;
}

function storeOptions({ limit, continue: token, ...options }: ListOptions): StoreListOptions {
  const revision = statedRevision(options.resourceVersion);
  if (token && revision !== undefined) {
    throw badRequest('specifying resource version is not allowed when using continue');
  }
  const isExact = options.resourceVersionMatch === 'Exact';
  return {
    ...(limit === undefined ? {} : { limit }),
    ...(token === undefined ? {} : { continue: token }),
    ...(revision === undefined ? {} : { [isExact ? 'exactly' : 'notBefore']: revision }),
  };
}
