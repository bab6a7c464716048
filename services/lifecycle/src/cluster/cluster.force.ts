import { CLUSTER, FORCE_ANNOTATION, type Cluster } from '@crate/api';
import { forbidden, invalidSpec, type PlatformError } from '@crate/errors';
import type { Annotations } from './cluster.consent.js';

const NEEDS_ADMIN = 'ForceNeedsAdmin';
/** As long as fits into an event. */
const LONGEST_REASON = 500;

/** Lets nobody but an administrator, for a stated reason, give up what blocks a deletion that is under way. Throws otherwise. */
export function requireForce({ metadata }: Cluster, stated: Annotations, isAdmin: boolean): void {
  const { name, deletionTimestamp } = metadata;
  if (!isAdmin) throw needsAdmin(name);
  const reason = (stated[FORCE_ANNOTATION] ?? '').trim();
  if (reason === '') throw invalid(name, 'ForceNeedsReason', 'must say why what is in the way may be left behind');
  if (reason.length > LONGEST_REASON) {
    throw invalid(name, 'ForceNeedsReason', `must not be longer than ${LONGEST_REASON} characters`);
  }
  if (deletionTimestamp !== undefined) return;
  throw invalid(name, 'DeletionNotRequested', 'may be set while the cluster is being deleted only; delete it first');
}

function needsAdmin(name: string): PlatformError {
  const { plural, group } = CLUSTER;
  const remedy = 'Ask an administrator of the Project, or put out of the way what status.deletion.blockers names';
  const why = `${FORCE_ANNOTATION} may be set by an administrator of the Project only`;
  return forbidden(`${plural}.${group} ${JSON.stringify(name)} is forbidden: ${why}. ${remedy}`, {
    ...{ group, kind: plural, name, reason: NEEDS_ADMIN, remedy, field: FIELD },
    causes: [{ reason: NEEDS_ADMIN, message: why, field: FIELD }],
  });
}

const FIELD = `metadata.annotations[${FORCE_ANNOTATION}]`;

function invalid(name: string, reason: string, what: string): PlatformError {
  const { kind, group } = CLUSTER;
  const cause = { reason, field: FIELD, message: `Invalid value: ${what}` };
  const message = `${kind}.${group} ${JSON.stringify(name)} is invalid: ${FIELD}: ${cause.message}`;
  return invalidSpec(message, [cause], { group, kind, name, reason, field: FIELD });
}
