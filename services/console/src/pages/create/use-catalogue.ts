import type { AddOn } from '@crate/api';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { apiJson } from '../../api/http.js';
import { collectionPath, KINDS } from '../../api/paths.js';

/** The add-ons that there are. */
export function useCatalogue(): UseQueryResult<{ readonly items: readonly AddOn[] }> {
  return useQuery({
    queryKey: ['add-ons'],
    queryFn: ({ signal }) => apiJson<{ readonly items: readonly AddOn[] }>(collectionPath(KINDS.addOn), { signal }),
  });
}
