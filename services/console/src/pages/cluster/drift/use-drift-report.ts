import type { DriftReport } from '@crate/api';
import { useQuery } from '@tanstack/react-query';
import { useLastKnown } from '../../../components/use-last-known.js';
import { useCluster } from '../cluster-context.js';
import { conditionOf } from '../conditions.js';
import { useClusterKey } from '../use-cluster-key.js';
import { decisionUnderWay, isChecking, readDrift } from './drift-report.js';

const LOOK_AGAIN_MS = 2_000;

/** What is known of how the cloud differs; undefined until the first answer. */
export interface KnownDrift {
  readonly report: DriftReport | undefined;
  readonly error: Error | null;
  readonly refetch: () => void;
}

/** The drift of the cluster, read anew when its status tells of another, and while something that was asked for is under way. */
export function useDriftReport(): KnownDrift {
  const key = useClusterKey();
  const { metadata, status } = useCluster();
  const inSync = conditionOf(status?.conditions, 'InSync');
  const isWaiting = (report: DriftReport | undefined): boolean =>
    report !== undefined &&
    (isChecking(report, metadata.annotations) || decisionUnderWay(report, metadata.annotations) !== undefined);
  const { data, error, refetch } = useQuery({
    queryKey: ['drift', key, inSync?.lastTransitionTime, inSync?.reason, status?.drift?.digest],
    queryFn: ({ signal }) => readDrift(key, signal),
    placeholderData: (before) => before,
    refetchInterval: ({ state }) => (isWaiting(state.data) ? LOOK_AGAIN_MS : false),
  });
  const report = useLastKnown(data, `${key.project}/${key.name}`);
  return { report, error, refetch: () => void refetch() };
}
