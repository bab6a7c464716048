import type { KubeObject } from '@crate/api';
import type { TargetCluster } from './target-cluster.js';
import { isRefusal } from './transport-errors.js';

/** A Job that is younger may be about to start. */
const STARTS_WITHIN_MS = 60_000;

interface ContainerStatus {
  readonly state?: { readonly running?: unknown; readonly terminated?: unknown };
  readonly lastState?: { readonly terminated?: unknown };
}

interface JobStatus {
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  readonly active?: number;
  readonly succeeded?: number;
  readonly failed?: number;
}

/** True for a Job that can be taken away without an end to anything: it has ended, is suspended, or none of its containers ever ran. */
export async function isIdleJob(cluster: TargetCluster, job: KubeObject, signal: AbortSignal): Promise<boolean> {
  if (hasEnded(job) || isSuspended(job)) return true;
  const { succeeded = 0, failed = 0 } = (job.status ?? {}) as JobStatus;
  const ageMs = Date.now() - Date.parse(job.metadata.creationTimestamp);
  if (succeeded + failed > 0 || ageMs < STARTS_WITHIN_MS) return false;
  const pods = await podsOf(cluster, job, signal);
  return pods !== undefined && !pods.some(hasRun);
}

function hasEnded({ status }: KubeObject): boolean {
  const { conditions = [] } = (status ?? {}) as JobStatus;
  return conditions.some(({ type, status: is }) => is === 'True' && (type === 'Complete' || type === 'Failed'));
}

function isSuspended({ spec, status }: KubeObject): boolean {
  const { active = 0 } = (status ?? {}) as JobStatus;
  return (spec as { readonly suspend?: boolean } | undefined)?.suspend === true && active === 0;
}

/** Undefined where nobody may look at pods. */
async function podsOf(
  cluster: TargetCluster,
  { metadata: { name, namespace = 'default', uid } }: KubeObject,
  signal: AbortSignal,
): Promise<readonly KubeObject[] | undefined> {
  try {
    const { items } = await cluster.list('v1', 'Pod', { namespace, labelSelector: `job-name=${name}` }, signal);
    return items.filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid));
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return undefined;
  }
}

function hasRun({ status }: KubeObject): boolean {
  const { initContainerStatuses = [], containerStatuses = [] } = (status ?? {}) as {
    readonly initContainerStatuses?: readonly ContainerStatus[];
    readonly containerStatuses?: readonly ContainerStatus[];
  };
  return [...initContainerStatuses, ...containerStatuses].some(
    ({ state, lastState }) => state?.running ?? state?.terminated ?? lastState?.terminated,
  );
}
