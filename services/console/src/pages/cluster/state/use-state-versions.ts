import { useQuery } from '@tanstack/react-query';
import { apiJson } from '../../../api/http.js';
import { collectionPath } from '../../../api/paths.js';
import { useLastKnown } from '../../../components/use-last-known.js';
import { useCluster } from '../cluster-context.js';
import { useClusterKey } from '../use-cluster-key.js';
import type { AnyVersion, StateFamily } from './state-family.js';

/** Versions of a state as far as they are known. */
export interface StateVersions {
  /** The newest first; undefined until the first answer. */
  readonly versions: readonly AnyVersion[] | undefined;
  readonly error: Error | null;
  readonly refetch: () => void;
}

/** The versions of one of the cluster's states. */
export function useStateVersions(family: StateFamily): StateVersions {
  const { project, name } = useClusterKey();
  const { status } = useCluster();
  const selector = new URLSearchParams({ fieldSelector: `${family.ownerField}=${name}` });
  const { data, error, refetch } = useQuery({
    // Versions cannot be watched; a new one comes with work.
    queryKey: ['state-versions', family.name, project, name, status?.progress?.message],
    queryFn: ({ signal }) =>
      apiJson<{ readonly items: readonly AnyVersion[] }>(
        `${collectionPath(family.kind, project)}?${selector.toString()}`,
        { signal },
      ),
    placeholderData: (before, query) => (query?.queryKey[1] === family.name ? before : undefined),
  });
  const known = useLastKnown(data, `${project}/${name} ${family.name}`);
  const versions = known?.items.toSorted((left, right) => right.spec.serial - left.spec.serial);
  return { versions, error, refetch: () => void refetch() };
}
