import type { Cluster } from '@crate/api';
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { KINDS, objectPath } from '../../../api/paths.js';
import { conditionOf } from '../conditions.js';
import { CHECK, RESOLVE } from '../drift/drift-report.js';
import { LogFollower, type LogSnapshot } from './log-follower.js';

/** The log of a cluster as far as it was read, and how to go on where it failed. */
export interface KnownLog extends LogSnapshot {
  readonly resume: () => void;
}

/** The log of a cluster, live; goes on when work begins again. */
export function useLog(cluster: Cluster): KnownLog {
  const { name, namespace, uid } = cluster.metadata;
  const follower = useMemo(
    () => new LogFollower(objectPath(KINDS.cluster, name, namespace, 'logs')),
    // eslint-disable-next-line react-hooks/exhaustive-deps -- a cluster that comes again by this name has a log of its own
    [name, namespace, uid],
  );
  const snapshot = useSyncExternalStore(follower.subscribe, follower.current);
  const work = workOf(cluster);
  useEffect(() => follower.resume(), [follower, work]);
  return { ...snapshot, resume: follower.resume };
}

/** Another text whenever something may have begun that prints. */
function workOf({ metadata, status }: Cluster): string {
  const { generation, deletionTimestamp, annotations = {} } = metadata;
  const inSync = conditionOf(status?.conditions, 'InSync');
  return [
    generation,
    deletionTimestamp,
    conditionOf(status?.conditions, 'Ready')?.reason,
    inSync?.reason,
    inSync?.lastTransitionTime,
    annotations[CHECK],
    annotations[RESOLVE],
  ].join(' ');
}
