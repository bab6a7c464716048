import type { ClusterClass, Project } from '@crate/api';
import { useQuery } from '@tanstack/react-query';
import { apiJson } from '../../api/http.js';
import { collectionPath, KINDS, type ApiKind } from '../../api/paths.js';

const NONE: readonly never[] = [];

/** What a cluster can be made from and belong to, as far as one may see it; who may not list types names. */
export function useOffers(): { readonly classes: readonly ClusterClass[]; readonly projects: readonly Project[] } {
  return {
    classes: useItems<ClusterClass>(KINDS.clusterClass),
    projects: useItems<Project>(KINDS.project),
  };
}

function useItems<T>(kind: ApiKind): readonly T[] {
  const { data } = useQuery({
    queryKey: ['offers', kind.plural],
    queryFn: ({ signal }) => apiJson<{ readonly items: readonly T[] }>(collectionPath(kind), { signal }),
  });
  return data?.items ?? NONE;
}
