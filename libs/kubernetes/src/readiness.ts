import type { KubeObject } from '@crate/api';

/** Whether an object does what it is for, and if not, what it waits for. */
export type Readiness = { readonly ready: true } | NotReady;

interface NotReady {
  readonly ready: false;
  readonly message: string;
  /** It will not be ready by waiting: somebody has to do something. */
  readonly hasFailed?: true;
}

interface StatusCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

interface Observed {
  readonly generation: number;
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status: Readonly<Record<string, unknown>>;
  readonly conditions: readonly StatusCondition[];
}

interface UpdateStrategy {
  readonly type?: string;
  readonly rollingUpdate?: { readonly partition?: number };
}

const READY: Readiness = { ready: true };

/** Rules by group and kind; a kind without a rule goes by its Ready condition, or is ready once it exists. */
const RULES: Readonly<Record<string, (observed: Observed) => Readiness>> = {
  'apps/Deployment': deploymentReadiness,
  'apps/DaemonSet': daemonSetReadiness,
  'apps/StatefulSet': statefulSetReadiness,
  'apps/ReplicaSet': (observed) => refusedPods(observed, replicasReadiness(observed, 'readyReplicas')),
  'batch/Job': jobReadiness,
  '/Pod': podReadiness,
  '/Service': serviceReadiness,
  '/Namespace': (observed) => phaseReadiness(observed, 'Active'),
  '/PersistentVolumeClaim': (observed) => phaseReadiness(observed, 'Bound'),
  'apiextensions.k8s.io/CustomResourceDefinition': definitionReadiness,
  'apiregistration.k8s.io/APIService': (observed) => conditionReadiness(observed, 'Available'),
};

/** Judges an object as its own API shows it. */
export function isReady(object: KubeObject): Readiness {
  if (object.metadata.deletionTimestamp) return notReady('is being deleted');
  const group = object.apiVersion.includes('/') ? object.apiVersion.split('/')[0] : '';
  return (RULES[`${group}/${object.kind}`] ?? genericReadiness)(observe(object));
}

function observe(object: KubeObject): Observed {
  const status = (object['status'] ?? {}) as Record<string, unknown>;
  return {
    generation: object.metadata.generation ?? 0,
    spec: (object['spec'] ?? {}) as Record<string, unknown>,
    status,
    conditions: Array.isArray(status['conditions']) ? (status['conditions'] as StatusCondition[]) : [],
  };
}

function deploymentReadiness(observed: Observed): Readiness {
  return refusedPods(observed, rolloutReadiness(observed));
}

function rolloutReadiness(observed: Observed): Readiness {
  const stalled = observed.conditions.find((condition) => condition.reason === 'ProgressDeadlineExceeded');
  if (stalled) return notReady(stalled.message ?? 'the rollout does not progress');
  return firstNotReady(
    isCurrent(observed),
    replicasReadiness(observed, 'updatedReplicas'),
    replicasReadiness(observed, 'availableReplicas'),
    count(observed.status['replicas']) > wanted(observed) ? notReady('old replicas are still running') : READY,
  );
}

/** Where pods are refused, as by a quota, that tells more than how many lack, or that it takes long. */
function refusedPods({ conditions }: Observed, readiness: Readiness): Readiness {
  const refused = conditions.find(({ type, status }) => type === 'ReplicaFailure' && status === 'True');
  return readiness.ready || !refused?.message ? readiness : notReady(refused.message);
}

function statefulSetReadiness(observed: Observed): Readiness {
  const { currentRevision, updateRevision } = observed.status;
  const isUpdating = updateRevision !== undefined && currentRevision !== updateRevision;
  return firstNotReady(
    isCurrent(observed),
    replicasReadiness(observed, 'readyReplicas'),
    isUpdating && !isUpdatedAsFarAsAsked(observed) ? notReady('the update is under way') : READY,
  );
}

/** Pods that are updated when somebody deletes them, and those below a partition, stay old, maybe for ever. */
function isUpdatedAsFarAsAsked(observed: Observed): boolean {
  const { type, rollingUpdate: { partition = 0 } = {} } = updateStrategy(observed);
  if (type === 'OnDelete') return true;
  return partition > 0 && count(observed.status['updatedReplicas']) >= wanted(observed) - partition;
}

function daemonSetReadiness(observed: Observed): Readiness {
  const { desiredNumberScheduled, numberAvailable, updatedNumberScheduled } = observed.status;
  if (desiredNumberScheduled === undefined) return notReady('is not scheduled yet');
  const desired = count(desiredNumberScheduled);
  const isUpdatedByHand = updateStrategy(observed).type === 'OnDelete';
  const updated = isUpdatedByHand ? desired : count(updatedNumberScheduled);
  const available = Math.min(count(numberAvailable), updated);
  return firstNotReady(
    isCurrent(observed),
    available < desired ? notReady(`${available} of ${desired} nodes run it`) : READY,
  );
}

function updateStrategy({ spec }: Observed): UpdateStrategy {
  return spec['updateStrategy'] ?? {};
}

function jobReadiness(observed: Observed): Readiness {
  const failed = observed.conditions.find((condition) => condition.type === 'Failed' && condition.status === 'True');
  if (failed) return { ...notReady(failed.message ?? 'the job failed'), hasFailed: true };
  return conditionReadiness(observed, 'Complete');
}

function podReadiness(observed: Observed): Readiness {
  return observed.status['phase'] === 'Succeeded' ? READY : conditionReadiness(observed, 'Ready');
}

function serviceReadiness(observed: Observed): Readiness {
  if (observed.spec['type'] !== 'LoadBalancer') return READY;
  const balancer = observed.status['loadBalancer'] as { readonly ingress?: readonly unknown[] } | undefined;
  return balancer?.ingress?.length ? READY : notReady('has no load balancer address yet');
}

/** Which name another one has already tells more than that not all are accepted. */
function definitionReadiness(observed: Observed): Readiness {
  const readiness = conditionReadiness(observed, 'Established');
  const refused = observed.conditions.find(({ type, status }) => type === 'NamesAccepted' && status === 'False');
  return readiness.ready || !refused?.message ? readiness : notReady(refused.message);
}

function genericReadiness(observed: Observed): Readiness {
  const hasReady = observed.conditions.some((condition) => condition.type === 'Ready');
  return hasReady ? conditionReadiness(observed, 'Ready') : READY;
}

function conditionReadiness(observed: Observed, type: string): Readiness {
  const condition = observed.conditions.find((candidate) => candidate.type === type);
  if (condition?.status === 'True') return READY;
  return notReady(condition?.message ? condition.message : `is not ${type} yet`);
}

function phaseReadiness(observed: Observed, phase: string): Readiness {
  return observed.status['phase'] === phase ? READY : notReady(`is not ${phase} yet`);
}

function isCurrent(observed: Observed): Readiness {
  const seen = count(observed.status['observedGeneration']);
  return seen >= observed.generation ? READY : notReady('its newest change is not taken up yet');
}

function replicasReadiness(observed: Observed, field: string): Readiness {
  const have = count(observed.status[field]);
  return have >= wanted(observed) ? READY : notReady(`${have} of ${wanted(observed)} replicas are available`);
}

function wanted(observed: Observed): number {
  return typeof observed.spec['replicas'] === 'number' ? observed.spec['replicas'] : 1;
}

function firstNotReady(...readiness: readonly Readiness[]): Readiness {
  return readiness.find((item) => !item.ready) ?? READY;
}

function count(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

function notReady(message: string): NotReady {
  return { ready: false, message };
}
