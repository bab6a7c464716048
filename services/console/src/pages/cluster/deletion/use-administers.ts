import { KINDS } from '../../../api/paths.js';
import { useMay } from '../../../components/access/use-may.js';
import { useClusterKey } from '../use-cluster-key.js';

/** Whether the person administers the Project of the page: whoever may change the Project does. The server decides anyway. */
export function useAdministers(): boolean {
  const { project } = useClusterKey();
  return useMay({ verb: 'patch', kind: KINDS.project, namespace: project, name: project });
}
