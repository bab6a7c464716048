import { type Cluster, type ClusterClass, type ClusterClassRevision, type KubeObject, isJsonObject } from '@crate/api';
import type { PlatformError } from '@crate/errors';
import {
  jsonEqual,
  type AdmissionHook,
  type AdmissionRequest,
  type AdmissionResult,
  type FieldError,
} from '@crate/resource-server';
import { isTakenBack } from '../plan/approved-plan.js';
import { MOVE_ANNOTATION, moveOf, wasMoved } from './class-marks.js';
import { withMarks, withoutMarks } from './class-move.js';
import type { ClassResolver } from './class-resolver.js';
import { isOnTheWay } from './class-rollout.js';
import { ClassPreview } from './class-state.js';
import { invalidCluster } from './cluster-class.errors.js';
import { StatedFields } from './stated-fields.js';

const NEWEST = 'newest';
const SHOWN = 20;

interface ClassReference {
  readonly name: string;
  readonly revision?: unknown;
}

/**
 * Fills in what a cluster leaves out, from its class and parameters. Throws InvalidSpec naming parameters that do not fit,
 * locked fields that are stated otherwise, and classes and revisions that do not exist or, for a cluster that is new to them, go away. Writes that concern neither the
 * spec nor the class are let through as they are, and so is the whole spec that a plan gives back.
 */
export function classPrepare(resolver: ClassResolver): AdmissionHook {
  return async (request) => {
    const reference = referenceOf(request.object);
    if (!reference || isUntouched(request)) return undefined;
    const old = request.oldObject as Cluster | undefined;
    const owner = await resolver.classes.find(reference.name);
    if (!owner) return missing(await knownClasses(resolver), reference, request);
    if (isDeleting(owner) && !isOfClass(old, reference)) throw goingAway(request, reference);
    const newest = await resolver.revisions.current(owner, request.dryRun);
    const object = request.object as Cluster;
    const revision = await revisionFor({ resolver, newest, reference, request });
    if (!revision) return forgotten(object, old ?? object);
    const { spec, errors } = await resolver.resolve(object, old, revision);
    if (errors.length > 0) throw invalidCluster(object.metadata.name, errors);
    const [to, newestRevision] = [revision.spec.revision, newest.spec.revision];
    const wasOnTheWay = await isLeftOnTheWay(resolver, old, { to, newest });
    const marked = withMarks(request, { className: reference.name, revision: to, newestRevision, wasOnTheWay });
    return { object: { ...marked, spec } };
  };
}

/** True for a write that has the cluster leave a step of a rollout to the newest revision. */
async function isLeftOnTheWay(
  resolver: ClassResolver,
  cluster: Cluster | undefined,
  { to, newest }: { readonly to: number; readonly newest: ClusterClassRevision },
): Promise<boolean> {
  const at = cluster?.spec.classRef?.revision;
  if (!cluster || at === undefined || at === to || !wasMoved(cluster, at)) return false;
  const preview = new ClassPreview(resolver);
  return isOnTheWay({ cluster, state: await preview.stateUnder(cluster, preview.target(newest)) });
}

function referenceOf({ spec }: KubeObject): ClassReference | undefined {
  const reference = isJsonObject(spec) ? spec['classRef'] : undefined;
  return isJsonObject(reference) && typeof reference['name'] === 'string'
    ? (reference as unknown as ClassReference)
    : undefined;
}

function isUntouched({ object, oldObject, context }: AdmissionRequest): boolean {
  if (oldObject && isTakenBack(oldObject, object, context.caller.service)) return true;
  return oldObject !== undefined && moveOf(object) === undefined && jsonEqual(object['spec'], oldObject['spec']);
}

/** A class that is gone does not hold up its clusters; one that never was is a mistake. */
function missing(
  known: string,
  { name }: ClassReference,
  { object, oldObject }: AdmissionRequest,
): { warnings: string[] } {
  if (isOfClass(oldObject, { name })) {
    return { warnings: [`ClusterClass "${name}" is gone: nothing is filled in from it any more`] };
  }
  const detail = `must name a ClusterClass; known: ${known}`;
  throw invalidCluster(object.metadata.name, [
    { path: ['spec', 'classRef', 'name'], value: name, reason: 'FieldValueInvalid', detail },
  ]);
}

function isOfClass(old: KubeObject | undefined, { name }: ClassReference): boolean {
  return old !== undefined && referenceOf(old)?.name === name;
}

function isDeleting({ metadata }: ClusterClass): boolean {
  return metadata.deletionTimestamp !== undefined;
}

function goingAway({ object }: AdmissionRequest, { name }: ClassReference): PlatformError {
  const detail = 'is being deleted: choose another ClusterClass';
  return invalidCluster(object.metadata.name, [
    { path: ['spec', 'classRef', 'name'], value: name, reason: 'FieldValueInvalid', detail },
  ]);
}

/** A revision that nobody asked for anew and that is not kept, as of a class that was made anew, holds up no other change. */
function forgotten(object: Cluster, { spec: { classRef } }: Cluster): AdmissionResult {
  const warning =
    `Revision ${classRef?.revision} of ClusterClass "${classRef?.name}" is gone: nothing is filled in from it any more; ` +
    `move the cluster with the annotation ${MOVE_ANNOTATION}=${NEWEST}`;
  const spec = { ...object.spec, ...(classRef ? { classRef } : {}) };
  return { warnings: [warning], object: { ...withoutMarks(object), spec } };
}

async function knownClasses({ classes }: ClassResolver): Promise<string> {
  const found = await classes.list({ limit: SHOWN });
  return found.map(({ metadata }) => metadata.name).join(', ') || 'none yet';
}

interface Wanted {
  readonly resolver: ClassResolver;
  readonly newest: ClusterClassRevision;
  readonly reference: ClassReference;
  readonly request: AdmissionRequest;
}

/** The revision that is asked for, else the one the cluster has, else the newest; undefined where the one it has is gone. */
async function revisionFor({
  resolver,
  newest,
  reference,
  request,
}: Wanted): Promise<ClusterClassRevision | undefined> {
  const { object } = request;
  const { wanted, path } = wantedRevision(request, reference, newest.spec.revision);
  if (wanted === newest.spec.revision) return newest;
  const found = Number.isInteger(wanted) ? await resolver.revisions.find(reference.name, Number(wanted)) : undefined;
  if (found || isRecorded(request, reference, wanted)) return found;
  const known = (await resolver.revisions.list(reference.name)).map(({ spec }) => spec.revision).slice(-SHOWN);
  const detail = `must be a revision of the class that is kept: ${known.join(', ')}`;
  throw invalidCluster(object.metadata.name, [
    { path, value: wanted, reason: 'FieldValueInvalid', detail } satisfies FieldError,
  ]);
}

/** What the cluster has already, and not where it is told to move. */
function isRecorded({ object, oldObject }: AdmissionRequest, reference: ClassReference, wanted: unknown): boolean {
  if (moveOf(object) !== undefined || !isOfClass(oldObject, reference)) return false;
  return oldObject !== undefined && wanted === referenceOf(oldObject)?.revision;
}

interface WantedRevision {
  readonly wanted: unknown;
  /** Where it was asked for. */
  readonly path: readonly string[];
}

function wantedRevision(request: AdmissionRequest, reference: ClassReference, newest: number): WantedRevision {
  const move = moveOf(request.object);
  if (move === undefined)
    return { wanted: keptRevision(request, reference) ?? newest, path: ['spec', 'classRef', 'revision'] };
  const wanted = /^\d+$/.test(move) ? Number(move) : move;
  return { wanted: move === NEWEST ? newest : wanted, path: ['metadata', 'annotations', MOVE_ANNOTATION] };
}

/** What is stated, else what was filled in before. Another class has revisions of its own, so a number left over says nothing there. */
function keptRevision({ object, oldObject }: AdmissionRequest, { name, revision }: ClassReference): unknown {
  const before = oldObject && referenceOf(oldObject);
  const isSameClass = before?.name === name;
  if (isSameClass) return revision ?? before.revision;
  const isLeftOver = revision === before?.revision && !StatedFields.of(object).hasRevision;
  return isLeftOver ? undefined : revision;
}
