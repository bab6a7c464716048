import type { Cluster, PhaseProgress } from '@crate/api';
import { conditionOf } from '../conditions.js';

/** When a phase began and ended, as far as it can be told. */
export interface PhaseTime {
  readonly begin?: number;
  readonly end?: number;
}

/** The condition that becomes true when a phase is done. */
const ENDS: Readonly<Record<string, string>> = {
  Policy: 'PolicyCompliant',
  Infrastructure: 'InfrastructureReady',
  Kubernetes: 'NodesReady',
  'Add-ons': 'AddOnsReady',
};

/**
 * The times of the phases of the journey that is under way, or was the last. Conditions tell when something became as it is: a phase
 * that has stood since before the journey began took no part in it, and has no times; nor has one that could not be told for a while
 * since, as its condition became true once more. Pure.
 */
export function phaseTimes(cluster: Cluster): ReadonlyMap<string, PhaseTime> {
  const { status, metadata } = cluster;
  const phases = status?.phases ?? [];
  if (metadata.deletionTimestamp !== undefined) return deletionTimes(phases, Date.parse(metadata.deletionTimestamp));
  const began = journeyBegin(cluster);
  if (began === undefined) return new Map();
  const seen = phases
    .filter(({ state }) => state !== 'Pending')
    .map(({ name, state }) => ({ name, end: state === 'Done' ? endOf(cluster, name) : undefined }))
    .filter(({ end }) => end === undefined || end >= began);
  return timesInTurn(seen, began);
}

/** Whether a phase that has yet to come was done before: what is before it came undone, as when a node is lost. Pure. */
export function wasDone(cluster: Cluster, { name, state }: PhaseProgress): boolean {
  return state === 'Pending' && endOf(cluster, name) !== undefined;
}

interface SeenPhase {
  readonly name: string;
  readonly end: number | undefined;
}

/** Each begins where the one before it ended; where that is not known, neither is this. */
function timesInTurn(phases: readonly SeenPhase[], began: number): ReadonlyMap<string, PhaseTime> {
  const times = new Map<string, PhaseTime>();
  let begin: number | undefined = began;
  for (const [index, { name, end }] of phases.entries()) {
    const wasTrueBefore = end !== undefined && phases.slice(index + 1).some((later) => (later.end ?? end) < end);
    if (begin !== undefined && !wasTrueBefore) times.set(name, end === undefined ? { begin } : { begin, end });
    begin = wasTrueBefore ? undefined : (end ?? begin);
  }
  return times;
}

/** Undefined when it cannot be told: a cluster that is ready again does not say since when it was not. */
function journeyBegin({ metadata, status }: Cluster): number | undefined {
  const created = Date.parse(metadata.creationTimestamp);
  const ready = conditionOf(status?.conditions, 'Ready');
  if (ready && ready.status !== 'True') return Math.max(created, Date.parse(ready.lastTransitionTime));
  return metadata.generation === 1 ? created : undefined;
}

function endOf({ status }: Cluster, phase: string): number | undefined {
  const condition = conditionOf(status?.conditions, ENDS[phase] ?? '');
  return condition?.status === 'True' ? Date.parse(condition.lastTransitionTime) : undefined;
}

/** Of a deletion only its begin is known: what is gone has no conditions that would tell when it went. */
function deletionTimes([first]: readonly PhaseProgress[], begin: number): ReadonlyMap<string, PhaseTime> {
  const isFirst = first?.state === 'Running' || first?.state === 'Failed';
  return new Map(first && isFirst ? [[first.name, { begin }]] : []);
}
