import { isDeepStrictEqual } from 'node:util';
import type { Cluster, Infrastructure, InfrastructureSpec, KubeObject } from '@crate/api';
import { PlatformError } from '@crate/errors';
import type { TypedClient } from '@crate/resource-client';
import type { AdmissionHook, AdmissionRequest } from '@crate/resource-server';
import { z } from 'zod';

/** Says on a cluster which approved plan its spec comes from, or its deletion. Written by this service; what anybody else writes there is dropped. */
export const APPROVED_PLAN_ANNOTATION = 'lifecycle.crate.dev/approved-plan';

const SERVICE = 'lifecycle';

/** A newer release may say more in it: what this one knows counts then. */
const mark = z.object({
  name: z.string(),
  uid: z.string(),
  digest: z.string(),
  generation: z.int(),
  destroy: z.literal(true).optional(),
});

/** The plan that a spec comes from, or a deletion. */
export type ApprovedPlanMark = z.output<typeof mark>;

type Marked = Pick<KubeObject, 'metadata'>;

/** The annotation's value. */
export function markText(approved: ApprovedPlanMark): string {
  return JSON.stringify(approved);
}

/** Undefined where no plan is being carried out. Throws Unavailable where it cannot be told which: nobody may take that for none. */
export function markOf(object: Marked): ApprovedPlanMark | undefined {
  if (textOf(object) === undefined) return undefined;
  const approved = readMark(object);
  if (approved) return approved;
  const message = `A newer release says in ${APPROVED_PLAN_ANNOTATION} what was approved, and this one cannot read it`;
  throw new PlatformError('Unavailable', message, { details: { remedy: 'Upgrade lifecycle to that release again' } });
}

/** The plan that is being carried out, as far as that can be told. Never throws. */
export function planNameOf(object: Marked): string | undefined {
  return readMark(object)?.name;
}

function textOf({ metadata }: Marked): string | undefined {
  return metadata.annotations?.[APPROVED_PLAN_ANNOTATION];
}

function readMark(object: Marked): ApprovedPlanMark | undefined {
  const text = textOf(object);
  // Nearly every object has none, and to throw for each of them costs a percent of the service under load.
  if (text === undefined) return undefined;
  try {
    return mark.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/**
 * True while a plan is carried out in a cluster, and while what is left of one waits for another approval; also where it cannot be
 * told. Never throws.
 */
export function isHeldToPlan(cluster: Marked): boolean {
  if (textOf(cluster) === undefined) return false;
  const approved = readMark(cluster);
  return !approved || approved.destroy === true || approved.generation === cluster.metadata.generation;
}

/** What cloud-mgmt is held to; nothing once the spec has changed again. */
export function approvedPlanOf(cluster: Cluster): Pick<InfrastructureSpec, 'approvedPlan'> {
  const approved = markOf(cluster);
  if (!approved || approved.destroy || approved.generation !== cluster.metadata.generation) return {};
  return { approvedPlan: { name: approved.name, digest: approved.digest } };
}

/** What cloud-mgmt is held to when it takes everything away, whatever becomes of the spec; nothing where no plan was approved. */
export function approvedDestructionOf(cluster: Cluster): Pick<InfrastructureSpec, 'approvedPlan'> {
  const { name, digest, destroy } = markOf(cluster) ?? {};
  return name === undefined || digest === undefined || !destroy ? {} : { approvedPlan: { name, digest, destroy } };
}

/**
 * Holds cloud-mgmt to the deletion that was approved: told before it begins, and told again once another plan of it is approved. Never
 * takes that back. Writes only when it is news.
 */
export async function holdToDestruction(
  infrastructures: Pick<TypedClient<Infrastructure>, 'merge'>,
  cluster: Cluster,
  infrastructure: Infrastructure,
): Promise<Infrastructure> {
  const { approvedPlan } = approvedDestructionOf(cluster);
  const { metadata, spec } = infrastructure;
  if (!approvedPlan || isDeepStrictEqual(spec.approvedPlan, approvedPlan)) return infrastructure;
  const { name, namespace, uid } = metadata;
  return infrastructures.merge(name, namespace, { metadata: { uid }, spec: { approvedPlan } });
}

/** Keeps the mark as this service wrote it, whoever writes the cluster. */
export const markAdmission: AdmissionHook = ({ operation, object, oldObject, context }) => {
  if (operation === 'DELETE' || context.caller.service === SERVICE) return Promise.resolve();
  const [stated, kept] = [object, oldObject].map((each) => each?.metadata.annotations?.[APPROVED_PLAN_ANNOTATION]);
  if (stated === kept) return Promise.resolve();
  const { [APPROVED_PLAN_ANNOTATION]: _dropped, ...rest } = object.metadata.annotations ?? {};
  const annotations = { ...rest, ...(kept === undefined ? {} : { [APPROVED_PLAN_ANNOTATION]: kept }) };
  const { annotations: _old, ...metadata } = object.metadata;
  const isEmpty = Object.keys(annotations).length === 0;
  return Promise.resolve({ object: { ...object, metadata: { ...metadata, ...(isEmpty ? {} : { annotations }) } } });
};

/**
 * True when this service takes back a cluster that a plan has made and whose spec nobody has changed since. It does so only when
 * nothing was carried out, and without trying: what it tries is the deletion of a plan.
 */
export function isNewTakenBack({ object, context, dryRun }: AdmissionRequest): boolean {
  if (dryRun || context.caller.service !== SERVICE || object.metadata.generation !== 1) return false;
  return approvedPlanOf(object as Cluster).approvedPlan !== undefined;
}

/** What a plan changed that was not carried out belongs to whom it belonged to before, or to nobody, and follows the class as before. */
export const returnPrepare: AdmissionHook = ({ object, oldObject, context }) =>
  Promise.resolve(oldObject && isTakenBack(oldObject, object, context.caller.service) ? { isReturn: true } : undefined);

/** True when this service takes the spec of a plan back that was not carried out. */
export function isTakenBack(before: KubeObject, after: KubeObject, service: string | undefined): boolean {
  return service === SERVICE && textOf(before) !== undefined && textOf(after) === undefined;
}
