import type { Infrastructure, InfrastructureResource, InfrastructureResources } from '@crate/api';
import { useQuery } from '@tanstack/react-query';
import { apiJson } from '../../../api/http.js';
import { KINDS, objectPath } from '../../../api/paths.js';

/** The cloud resources of an Infrastructure, read anew with each version of its state; undefined while nothing is known. */
export function useResources(
  infrastructure: Infrastructure | undefined,
): readonly InfrastructureResource[] | undefined {
  const { name = '', namespace } = infrastructure?.metadata ?? {};
  const { stateSerial, drift } = infrastructure?.status ?? {};
  const { data } = useQuery({
    queryKey: ['resources', namespace, name, stateSerial, drift?.digest],
    queryFn: ({ signal }) =>
      apiJson<InfrastructureResources>(objectPath(KINDS.infrastructure, name, namespace, 'resources'), { signal }),
    enabled: infrastructure !== undefined,
    placeholderData: (before) => before,
    // What Infrastructure itself tells is there without; a damaged state is told by its condition.
    retry: false,
  });
  return data?.resources;
}
