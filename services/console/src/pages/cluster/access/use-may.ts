import { useMay as useMayIn, type Deed } from '../../../components/access/use-may.js';
import { useClusterKey } from '../use-cluster-key.js';

/** Something a person may do in the Project of the page. */
export type Action = Omit<Deed, 'namespace' | 'name'>;

/** Whether the person may do this in the Project of the page, as `components/access` tells it. */
export function useMay(action: Action): boolean {
  const { project: namespace } = useClusterKey();
  return useMayIn({ ...action, namespace });
}
