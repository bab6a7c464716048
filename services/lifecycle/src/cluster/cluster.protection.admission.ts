import { CLUSTER, CONFIRM_ANNOTATION, FORCE_ANNOTATION, type Cluster, type KubeObject } from '@crate/api';
import { forbidden } from '@crate/errors';
import {
  invalidObject,
  type AdmissionHook,
  type AdmissionRequest,
  type AdmissionResult,
  type FieldError,
} from '@crate/resource-server';
import { digestOf } from '@crate/resource-store';
import { isPerson, isPlatformAdmin } from '../access/caller-role.js';
import { reaches } from '../access/permissions.js';
import type { ProjectMembers } from '../access/project-members.js';
import { isNewTakenBack } from '../plan/approved-plan.js';
import { APPROVE_ANNOTATION, isNews, withoutConsent, withRecords, type Annotations } from './cluster.consent.js';
import { deletionRefusal } from './cluster.deletion-refusal.js';
import { requireForce } from './cluster.force.js';

export interface ProtectionOptions {
  readonly members: Pick<ProjectMembers, 'roleOf'>;
  readonly now?: () => Date;
}

/**
 * Keeps a cluster with `spec.deletionProtection` from unconfirmed deletion, whoever asks for it and however. Only administrators
 * of the Project turn the protection off or confirm; a second person may approve with their own name.
 */
export function protectionAdmission({ members, now = () => new Date() }: ProtectionOptions): AdmissionHook {
  return (request) => Promise.resolve().then(() => judge(request, members, now()));
}

function judge(
  request: AdmissionRequest,
  members: ProtectionOptions['members'],
  now: Date,
): AdmissionResult | undefined {
  const isAdmin = (): boolean => isAdministrator(request, members);
  if (request.operation === 'DELETE') return judgeDeletion(request, now);
  if (request.operation === 'UPDATE') requireAdminToUnprotect(request, isAdmin);
  requireNoOwners(request);
  const metadata = annotated(request, isAdmin, now);
  return metadata ? { object: { ...request.object, metadata } } : undefined;
}

/** What is being deleted already may be deleted again, and of what a plan takes back there is nothing to protect yet. */
function judgeDeletion(request: AdmissionRequest, now: Date): AdmissionResult | undefined {
  const { object } = request;
  const cluster = object as Cluster;
  const { deletionTimestamp, name, namespace = '' } = cluster.metadata;
  if (deletionTimestamp !== undefined) return undefined;
  if (cluster.spec.deletionProtection === true && !isNewTakenBack(request)) {
    const refusal = deletionRefusal(cluster, request, now);
    if (refusal) throw refusal;
  }
  // Protection that is turned on meanwhile counts.
  return { guards: [{ group: CLUSTER.group, kind: CLUSTER.kind, namespace, name, digest: digestOf([object]) }] };
}

function requireAdminToUnprotect({ object, oldObject }: AdmissionRequest, isAdmin: () => boolean): void {
  const was = (oldObject as Cluster).spec.deletionProtection === true;
  const is = (object as Cluster).spec.deletionProtection === true;
  if (is || !was || isAdmin()) return;
  throw refused(object, 'spec.deletionProtection may be turned off by an administrator of the Project only');
}

/** The end of an owner is the end of the cluster, and neither policies nor anybody who protects it would be asked. */
function requireNoOwners({ object, oldObject, context: { caller } }: AdmissionRequest): void {
  const { metadata, spec } = object as Cluster;
  const { ownerReferences = [] } = metadata;
  if (spec.deletionProtection === true && ownerReferences.length > 0) {
    throw withOwners(
      metadata.name,
      'a cluster with spec.deletionProtection cannot have owners, because it would be deleted with them',
    );
  }
  if (caller.service !== undefined || isPlatformAdmin(caller)) return;
  const had = new Set(oldObject?.metadata.ownerReferences?.map(({ uid }) => uid));
  if (ownerReferences.every(({ uid }) => had.has(uid))) return;
  const why = 'a cluster is deleted with its owners, and nothing that keeps it would be asked';
  throw withOwners(metadata.name, `${why}; leave them out, or have a platform administrator set them`);
}

function withOwners(name: string, detail: string): Error {
  return invalid(name, [{ path: ['metadata', 'ownerReferences'], reason: 'FieldValueForbidden', detail }]);
}

/** The metadata with consent as it may be; undefined when it is so already. */
function annotated(request: AdmissionRequest, isAdmin: () => boolean, now: Date): KubeObject['metadata'] | undefined {
  const { annotations: given, ...metadata } = request.object.metadata;
  const stated: Annotations = given ?? {};
  const result = request.oldObject ? consented(request, stated, isAdmin, now) : withoutConsent(stated);
  if (JSON.stringify(result) === JSON.stringify(stated)) return undefined;
  return { ...metadata, ...(Object.keys(result).length > 0 ? { annotations: { ...result } } : {}) };
}

function consented(request: AdmissionRequest, stated: Annotations, isAdmin: () => boolean, now: Date): Annotations {
  const { object, oldObject, context } = request;
  const old = oldObject?.metadata.annotations ?? {};
  const { name } = object.metadata;
  if (isNews(CONFIRM_ANNOTATION, stated, old)) {
    if (!isAdmin()) throw refused(object, `${CONFIRM_ANNOTATION} may be set by an administrator of the Project only`);
    requireValue(name, CONFIRM_ANNOTATION, stated, name);
  }
  if (isNews(APPROVE_ANNOTATION, stated, old)) {
    if (!isPerson(context.caller)) throw refused(object, `${APPROVE_ANNOTATION} may be set by a person only`);
    requireValue(name, APPROVE_ANNOTATION, stated, context.caller.user);
  }
  if (isNews(FORCE_ANNOTATION, stated, old)) requireForce(object as Cluster, stated, isAdmin());
  return withRecords(stated, old, { by: context.caller.user, now });
}

function requireValue(name: string, annotation: string, stated: Annotations, wanted: string): void {
  const value = stated[annotation];
  if (value === wanted) return;
  const detail = `must be ${JSON.stringify(wanted)}, which ${wanted === name ? 'names the cluster' : 'names who approves'}`;
  throw invalid(name, [{ path: ['metadata', 'annotations', annotation], value, reason: 'FieldValueInvalid', detail }]);
}

function isAdministrator({ object, context }: AdmissionRequest, members: Pick<ProjectMembers, 'roleOf'>): boolean {
  const { caller } = context;
  if (caller.service !== undefined || isPlatformAdmin(caller)) return true;
  return reaches(members.roleOf(caller, object.metadata.namespace ?? ''), 'admin');
}

function refused({ metadata: { name } }: KubeObject, why: string): Error {
  const { plural, group } = CLUSTER;
  return forbidden(`${plural}.${group} ${JSON.stringify(name)} is forbidden: ${why}`, { group, kind: plural, name });
}

function invalid(name: string, errors: readonly FieldError[]): Error {
  return invalidObject(CLUSTER, name, errors);
}
