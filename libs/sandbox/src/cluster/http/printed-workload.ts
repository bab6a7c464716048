import type { Job } from '../kinds/batch.js';
import type { DaemonSet, Deployment, ReplicaSet, StatefulSet } from '../kinds/workloads.js';
import { formatSelector } from '../label-selector.js';
import { hasCondition } from '../workloads/conditions.js';

type Cells = Readonly<Record<string, unknown>>;

export function printedReplicas(workload: Deployment | ReplicaSet | StatefulSet): Cells {
  const { status } = workload;
  return {
    ready: `${status?.readyReplicas ?? 0}/${workload.spec.replicas}`,
    replicas: status?.replicas ?? 0,
    readyReplicas: status?.readyReplicas ?? 0,
    updatedReplicas: status?.updatedReplicas ?? 0,
    availableReplicas: status?.availableReplicas ?? 0,
    ...printedTemplate(workload),
  };
}

export function printedDaemonSet(set: DaemonSet): Cells {
  const selector = Object.entries(set.spec.template.spec.nodeSelector ?? {}).map(([key, value]) => `${key}=${value}`);
  return {
    updatedNumberScheduled: set.status?.updatedNumberScheduled ?? 0,
    numberAvailable: set.status?.numberAvailable ?? 0,
    nodeSelector: selector.sort().join(',') || '<none>',
    ...printedTemplate(set),
  };
}

export function printedJob(job: Job, now: Date): Cells {
  const { startTime, completionTime, succeeded = 0 } = job.status ?? {};
  const end = completionTime === undefined ? now.getTime() : Date.parse(completionTime);
  return {
    phase: hasCondition(job.status?.conditions, 'Complete') ? 'Complete' : job.spec.suspend ? 'Suspended' : 'Running',
    completions: `${succeeded}/${job.spec.completions ?? 1}`,
    duration: startTime === undefined ? '' : `${Math.round((end - Date.parse(startTime)) / 1000)}s`,
    ...printedTemplate(job),
  };
}

function printedTemplate({ spec }: Deployment | ReplicaSet | StatefulSet | DaemonSet | Job): Cells {
  const { containers } = spec.template.spec;
  return {
    containers: containers.map(({ name }) => name).join(','),
    images: containers.map(({ image }) => image).join(','),
    selector: formatSelector(spec.selector),
  };
}
