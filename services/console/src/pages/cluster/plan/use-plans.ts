import type { Plan } from '@crate/api';
import { KINDS } from '../../../api/paths.js';
import { useLiveList } from '../../../api/use-live.js';
import { useClusterKey } from '../use-cluster-key.js';

/** The plans of the cluster that is shown, live. */
export function usePlans(): ReturnType<typeof useLiveList<Plan>> {
  const { project, name } = useClusterKey();
  return useLiveList<Plan>(KINDS.plan, { namespace: project, fieldSelector: `spec.clusterRef.name=${name}` });
}
