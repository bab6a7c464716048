import { JOB, type Job } from '../kinds/batch.js';
import { POD, type Pod } from '../kinds/pod.js';
import type { ClusterKey, ClusterReconciler } from '../runtime/cluster-loop.js';
import type { ClusterScope, NewObject } from '../runtime/cluster-scope.js';
import { hasCondition, setConditions, withoutZeros } from './conditions.js';
import { isActive, isReady, podFrom } from './pods.js';
import { randomSuffix } from './template-hash.js';
import { watchOwned } from './watch-owners.js';

/** Starts a Job's pods until enough have succeeded; the kubelet makes them succeed. */
export class JobReconciler implements ClusterReconciler {
  readonly name = 'job';
  readonly watches = watchOwned(JOB, POD);

  async reconcile(key: ClusterKey, scope: ClusterScope): Promise<number | undefined> {
    const job = scope.cache.find(JOB, key.name, key.namespace);
    if (!job || job.metadata.deletionTimestamp !== undefined) return;
    if (hasCondition(job.status?.conditions, 'Complete')) return this.expire(job, scope);
    if (job.spec.selector === undefined) {
      await scope.update(JOB, job, { spec: withSelector(job) });
      return;
    }
    const pods = scope.cache.ownedBy(POD, job.metadata.uid);
    if (!job.spec.suspend) await this.start(job, pods, scope);
    await scope.update(JOB, job, { status: this.status(job, scope) });
  }

  private async start(job: Job, pods: readonly Pod[], scope: ClusterScope): Promise<void> {
    const open = completions(job) - pods.filter(({ status }) => status?.phase === 'Succeeded').length;
    const missing = Math.min(job.spec.parallelism, open) - pods.filter(isActive).length;
    const newPods = Array.from({ length: Math.max(0, missing) }, () => jobPod(job));
    await Promise.all(newPods.map((pod) => scope.create(POD, pod)));
  }

  private status(job: Job, scope: ClusterScope): Job['status'] {
    const pods = scope.cache.ownedBy(POD, job.metadata.uid);
    const succeeded = pods.filter(({ status }) => status?.phase === 'Succeeded').length;
    const isComplete = succeeded >= completions(job);
    const now = scope.now();
    const facts = isComplete
      ? ['SuccessCriteriaMet', 'Complete'].map((type) => ({
          type,
          status: 'True',
          reason: 'CompletionsReached',
          message: 'Reached expected number of succeeded pods',
        }))
      : [];
    return {
      ...withoutZeros({ active: pods.filter(isActive).length, succeeded, ready: pods.filter(isReady).length }),
      startTime: job.status?.startTime ?? now,
      ...(isComplete ? { completionTime: now } : {}),
      ...(facts.length > 0 ? { conditions: setConditions(job.status?.conditions, facts, now) } : {}),
    };
  }

  private async expire(job: Job, scope: ClusterScope): Promise<number | undefined> {
    const { ttlSecondsAfterFinished: ttl } = job.spec;
    if (ttl === undefined) return;
    const remainingMs = Date.parse(job.status?.completionTime ?? scope.now()) + ttl * 1000 - Date.now();
    if (remainingMs > 0) return remainingMs;
    await scope.remove(JOB, job);
  }
}

function completions({ spec }: Job): number {
  return spec.completions ?? 1;
}

function jobPod(job: Job): NewObject<Pod> {
  return podFrom(job.spec.template, job, `${job.metadata.name}-${randomSuffix()}`);
}

/** Jobs tell their pods by the job's own uid, which nobody can state beforehand. */
function withSelector({ spec, metadata }: Job): Job['spec'] {
  const matchLabels = { 'batch.kubernetes.io/controller-uid': metadata.uid };
  const names = { 'batch.kubernetes.io/job-name': metadata.name, 'job-name': metadata.name };
  const labels = { ...spec.template.metadata?.labels, ...names, ...matchLabels };
  const template = { ...spec.template, metadata: { ...spec.template.metadata, labels } };
  return { ...spec, selector: { matchLabels }, template };
}
