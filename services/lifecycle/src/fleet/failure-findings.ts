import { conditionMessage, findCondition, type Cluster, type Failure } from '@crate/api';
import type { Standing } from './attention.js';
import type { Finding } from './finding.js';
import { causeOf } from './journey-finding.js';
import { openPhase, summaryOf, type OpenPhase } from './journey.js';

/** Work that fails for so long is not going to succeed by being tried again. */
const RETRIES_MS = 30 * 60_000;

/** Failures that are somebody's to decide about. */
const DECISIONS: ReadonlySet<string> = new Set(['PolicyDenied', 'ImpactAboveCeiling']);
/** Failures of the review of the spec, before any phase. */
const REVIEW: ReadonlySet<string> = new Set(['PolicyDenied', 'PolicyUnavailable']);

const FAILED: Standing = { health: 'Failing', concern: 'Failed' };

/** What went wrong, at the first phase that is not done. */
export function failureFinding(cluster: Cluster): Finding | undefined {
  const { failure } = cluster.status ?? {};
  const isFailed = summaryOf(cluster, 'Ready').condition.reason === 'ReconcileError';
  if (!failure) return isFailed ? { ...FAILED, cause: causeOf(summaryOf(cluster, 'Ready')) } : undefined;
  const { condition, since } = failedPhase(cluster, failure);
  const { code: reason, remedy } = failure;
  // What a program said in many lines is in the status; here are thousands of rows.
  const said = { condition: condition.type, reason, message: conditionMessage(failure.message), since };
  const cause = remedy === undefined ? said : { ...said, remedy: conditionMessage(remedy) };
  if (DECISIONS.has(reason)) return { health: 'Blocked', concern: 'Decision', cause };
  if (!failure.retryable) return { ...FAILED, cause };
  const later = { ...FAILED, atMs: Date.parse(since) + RETRIES_MS };
  return { health: 'Failing', concern: 'Retried', cause, later };
}

/** It was up, and nobody has reached it for longer than a restart takes. */
export function silenceFinding({ status }: Cluster): Finding | undefined {
  const condition = findCondition(status?.conditions, 'ControlPlaneReady');
  if (condition?.status !== 'Unknown' || status?.version === undefined) return undefined;
  const remedy = 'Look whether its machines run, and whether the way to its API server is open';
  return { ...FAILED, cause: { ...causeOf({ condition, since: condition.lastTransitionTime }), remedy } };
}

function failedPhase(cluster: Cluster, { code }: Failure): OpenPhase {
  const review = findCondition(cluster.status?.conditions, 'PolicyCompliant');
  const isReview = review !== undefined && review.status !== 'True' && REVIEW.has(code);
  if (isReview && !isOfPart(cluster, code)) return { condition: review, since: review.lastTransitionTime };
  return openPhase(cluster) ?? summaryOf(cluster, 'Synced');
}

/** The spec passed, and what was made of it did not: the phase that says so is the one to look at. */
function isOfPart({ status }: Cluster, code: string): boolean {
  return (status?.conditions ?? []).some(({ type, reason }) => type !== 'PolicyCompliant' && reason === code);
}
