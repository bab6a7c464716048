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
}

type Marks = Readonly<Record<string, string | undefined>>;

/** The cluster with the marks it has after a write: what it was told is done, and who moved it where is remembered for rollouts. */
export function withMarks(request: AdmissionRequest, destination: Destination): Cluster {
  const object = request.object as Cluster;
  const { annotations = {}, ...metadata } = object.metadata;
  const marks: Marks = {
    [MOVE_ANNOTATION]: undefined,
    ...heldAfter(request, destination),
    ...rolloutAfter(request, destination),
  };
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
  const before = (request.oldObject as Cluster | undefined)?.spec.classRef?.name;
  const isMove = moveOf(request.object) !== undefined;
  if (!isMove && before === className) return {};
  const isHeld = isMove && !isOfRollout(request) && revision < newestRevision;
  return { [HELD_ANNOTATION]: isHeld ? String(newestRevision) : undefined };
}

/** A rollout has nothing more to do with a cluster that leaves its revision in good order; one that does not speaks against it. */
function rolloutAfter(request: AdmissionRequest, { revision }: Destination): Marks {
  const old = request.oldObject as Cluster | undefined;
  const isLeft = old !== undefined && old.spec.classRef?.revision !== revision;
  return isLeft && !isOfRollout(request) && isWell(old) ? { [ROLLOUT_ANNOTATION]: undefined } : {};
}

/** Plans are written by the same service, for those who approved them. */
function isOfRollout({ object, context }: AdmissionRequest): boolean {
  return context.caller.service === SERVICE && moveOf(object) !== undefined;
}
