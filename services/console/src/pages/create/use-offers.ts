import type { ClusterClass, Project } from '@crate/api';
import { useQuery } from '@tanstack/react-query';
import { apiJson } from '../../api/http.js';
import { collectionPath, KINDS, type ApiKind } from '../../api/paths.js';

/** What a cluster can be made from and belong to, as far as one may see it; who may not list types names. */
export interface Offers {
  readonly classes: readonly ClusterClass[];
  readonly projects: readonly Project[];
  /** True until the answer is there: what is chosen from is no line of text in the meantime. */
  readonly areProjectsComing: boolean;
}

const NONE: readonly never[] = [];

/** Asks once for what there is. */
export function useOffers(): Offers {
  const classes = useItems<ClusterClass>(KINDS.clusterClass);
  const projects = useItems<Project>(KINDS.project);
  return { classes: classes.items, projects: projects.items, areProjectsComing: projects.areComing };
}

function useItems<T>(kind: ApiKind): { readonly items: readonly T[]; readonly areComing: boolean } {
  const { data, isPending } = useQuery({
    queryKey: ['offers', kind.plural],
    queryFn: ({ signal }) => apiJson<{ readonly items: readonly T[] }>(collectionPath(kind), { signal }),
  });
  return { items: data?.items ?? NONE, areComing: isPending };
}
