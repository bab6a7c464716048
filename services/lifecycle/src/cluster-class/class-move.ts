import type { Cluster } from '@crate/api';
import type { AdmissionRequest } from '@crate/resource-server';
import { HELD_ANNOTATION, MOVE_ANNOTATION, moveOf, ROLLOUT_ANNOTATION } from './class-marks.js';
import { isWell } from './class-rollout.js';

/** Whose rollouts are. */
const SERVICE = 'lifecycle';

/** What a write makes of the class of a cluster. */
export interface Destination {
  readonly className: string;
  readonly revision: number;
  readonly newestRevision: number;
  /** The revision that the cluster had was a step of a rollout to the newest. */
  readonly wasOnTheWay: boolean;
}

type Marks = Readonly<Record<string, string | undefined>>;

/** The cluster with the marks it has after a write: what it was told is done, and who moved it where is remembered for rollouts. */
export function withMarks(request: AdmissionRequest, destination: Destination): Cluster {
  const marks = { ...heldAfter(request, destination), ...rolloutAfter(request, destination) };
  return marked(request.object as Cluster, { [MOVE_ANNOTATION]: undefined, ...marks });
}

/** The cluster without what it remembers of a class that is no more. */
export function withoutMarks(object: Cluster): Cluster {
  return marked(object, { [HELD_ANNOTATION]: undefined, [ROLLOUT_ANNOTATION]: undefined });
}

function marked(object: Cluster, marks: Marks): Cluster {
  const { annotations = {}, ...metadata } = object.metadata;
  if (Object.entries(marks).every(([name, value]) => annotations[name] === value)) return object;
  const after: Marks = { ...annotations, ...marks };
  const kept = Object.entries(after).filter((mark): mark is [string, string] => mark[1] !== undefined);
  return {
    ...object,
    metadata: { ...metadata, ...(kept.length > 0 ? { annotations: Object.fromEntries(kept) } : {}) },
  };
}

/** Every move says it anew, and of another class it says nothing. */
function heldAfter(request: AdmissionRequest, { className, revision, newestRevision }: Destination): Marks {
  const isMove = moveOf(request.object) !== undefined;
  if (!isMove && isOfClass(request.oldObject, className)) return {};
  const isHeld = isMove && !isOfRollout(request) && revision < newestRevision;
  return { [HELD_ANNOTATION]: isHeld ? String(newestRevision) : undefined };
}

/**
 * A rollout has nothing more to do with a cluster that leaves its revision in good order, or its class; one that does not speaks
 * against it.
 */
function rolloutAfter(request: AdmissionRequest, destination: Destination): Marks {
  const { className, revision, newestRevision, wasOnTheWay } = destination;
  if (isOfRollout(request)) return {};
  const old = request.oldObject as Cluster | undefined;
  if (!old || !isOfClass(old, className)) return { [ROLLOUT_ANNOTATION]: undefined };
  if (old.spec.classRef?.revision === revision) return {};
  if (isWell(old)) return { [ROLLOUT_ANNOTATION]: undefined };
  // Where a step was to lead: the others are to be kept from that step, too.
  return wasOnTheWay ? { [ROLLOUT_ANNOTATION]: String(newestRevision) } : {};
}

/** Numbers of revisions say nothing of another class. */
function isOfClass(old: AdmissionRequest['oldObject'], className: string): boolean {
  return (old as Cluster | undefined)?.spec.classRef?.name === className;
}

/** Plans are written by the same service, for those who approved them. */
function isOfRollout({ object, context }: AdmissionRequest): boolean {
  return context.caller.service === SERVICE && moveOf(object) !== undefined;
}
