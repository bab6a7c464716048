import { apiVersionOf, INFRASTRUCTURE, toTimestamp, type KubeObject, type RunPlan } from '@crate/api';
import { notFound } from '@crate/errors';
import type { SubresourceReader } from '@crate/resource-server';
import { countsOf } from '../plan/plan-reading.js';
import type { StoredPlan, TerraformRunRepository } from '../terraform-run/terraform-run.repository.js';

/** Hands out what the newest run planned. Throws NotFound while nothing was planned yet. */
export function planReader(runs: Pick<TerraformRunRepository, 'findPlan'>): SubresourceReader {
  return async (infrastructure) => {
    const stored = await runs.findPlan(infrastructure.metadata.uid);
    if (!stored) throw notFound('plans', infrastructure.metadata.name, INFRASTRUCTURE.group);
    return planOf(infrastructure, stored);
  };
}

/** The stored plan as people read it. Pure. */
export function planOf({ apiVersion, kind, metadata }: KubeObject, stored: StoredPlan): RunPlan {
  const { run, changes, review } = stored;
  const { name, namespace, uid } = metadata;
  const inNamespace = namespace === undefined ? {} : { namespace };
  return {
    apiVersion: apiVersionOf(INFRASTRUCTURE),
    kind: 'RunPlan',
    metadata: { name, ...inNamespace, creationTimestamp: toTimestamp(run.startedAt) },
    of: { apiVersion, kind, ...inNamespace, name, uid },
    ...(run.generation === undefined ? {} : { generation: run.generation }),
    isCurrent: run.generation === metadata.generation,
    run: {
      id: run.id,
      // A check has no plan of its own to show.
      purpose: run.kind === 'destroy' ? 'destroy' : 'apply',
      startedAt: toTimestamp(run.startedAt),
      ...(run.endedAt === undefined ? {} : { endedAt: toTimestamp(run.endedAt) }),
    },
    outcome: outcomeOf(stored),
    counts: countsOf(changes.resources),
    ...(review ? { review: { allowed: review.allowed, violations: review.violations.map(shown) } } : {}),
    resources: changes.resources.map((resource) => ({ ...resource, changes: [...resource.changes] })),
    omittedChanges: changes.omittedChanges,
  };
}

function outcomeOf({ run, changes, review }: StoredPlan): RunPlan['outcome'] {
  if (review?.allowed === false) return 'Refused';
  switch (run.state) {
    case 'running':
      return 'InProgress';
    case 'succeeded':
      return changes.resources.length === 0 ? 'NoChanges' : 'Applied';
    case 'failed':
      return 'Failed';
    case 'interrupted':
      return 'Interrupted';
  }
}

function shown({
  policy,
  level,
  field,
  message,
  remedy,
}: NonNullable<StoredPlan['review']>['violations'][number]): NonNullable<RunPlan['review']>['violations'][number] {
  return { policy, level, field, message, remedy };
}
