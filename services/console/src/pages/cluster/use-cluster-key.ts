import { useParams } from '@tanstack/react-router';

/** Names a cluster. */
export interface ClusterKey {
  readonly project: string;
  readonly name: string;
}

/** The cluster of the URL. */
export function useClusterKey(): ClusterKey {
  const { project = '', name = '' }: Partial<ClusterKey> = useParams({ strict: false });
  return { project, name };
}
