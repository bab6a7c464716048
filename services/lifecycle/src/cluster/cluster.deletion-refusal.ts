import { CLUSTER, CONFIRM_ANNOTATION, type Cluster } from '@crate/api';
import { forbidden, type PlatformError } from '@crate/errors';
import type { AdmissionRequest } from '@crate/resource-server';
import { isApiKey, isPerson } from '../access/caller-role.js';
import { SERVICE } from '../plan/plan.admission.js';
import { APPROVE_ANNOTATION, consentOf, type Consent } from './cluster.consent.js';

/** Who asks for a deletion, or tries one. */
export type Deletion = Pick<AdmissionRequest, 'context' | 'dryRun'>;

/** Why a protected cluster may not be deleted now by whoever asks, and what to do; undefined when somebody consented. */
export function deletionRefusal(cluster: Cluster, deletion: Deletion, now: Date): PlatformError | undefined {
  const confirmed = consentOf(cluster, CONFIRM_ANNOTATION, now);
  const approved = consentOf(cluster, APPROVE_ANNOTATION, now);
  if (isConfirmed(cluster, confirmed) || isApproved(approved, deletion)) return undefined;
  const { name } = cluster.metadata;
  const remedy = remedyFor(cluster);
  const why = [staleness('confirmation', confirmed), staleness('approval', approved), ownness(approved, deletion)].join(
    '',
  );
  const { plural, group } = CLUSTER;
  return forbidden(`${plural}.${group} "${name}" is protected from deletion${why}. ${remedy}`, {
    group,
    kind: plural,
    name,
    reason: 'DeletionProtected',
    field: 'spec.deletionProtection',
    remedy,
  });
}

function isConfirmed({ metadata }: Cluster, consent: Consent | undefined): boolean {
  return consent?.isFresh === true && consent.value === metadata.name;
}

/** By who the server saw, not only whom the annotation names. */
function isApproved(consent: Consent | undefined, deletion: Deletion): boolean {
  return consent?.isFresh === true && consent.by === consent.value && isBySomebodyElse(consent, deletion);
}

/** A key belongs to anybody, the approver included. Of a deletion by plan it is for whoever approves the plan; before, nobody deletes. */
function isBySomebodyElse({ by }: Consent, { context: { caller, decidedBy }, dryRun }: Deletion): boolean {
  if (decidedBy !== undefined) return !isApiKey({ user: decidedBy }) && by !== decidedBy;
  if (caller.service === SERVICE && dryRun) return true;
  return isPerson(caller) && by !== caller.user;
}

function remedyFor({ metadata: { name, namespace = '' } }: Cluster): string {
  const annotate = `kubectl annotate cluster ${name} -n ${namespace} --overwrite`;
  return [
    `An administrator of the Project confirms with: ${annotate} ${CONFIRM_ANNOTATION}=${name}`,
    `or a second person approves with: ${annotate} ${APPROVE_ANNOTATION}=<own name>`,
    `then delete within an hour`,
  ].join('; ');
}

function ownness(consent: Consent | undefined, deletion: Deletion): string {
  const isOwn = consent?.isFresh === true && !isBySomebodyElse(consent, deletion);
  return isOwn ? '. An approval counts for the deletion by another person only' : '';
}

function staleness(what: string, consent: Consent | undefined): string {
  if (!consent || consent.isFresh) return '';
  return `. The ${what} of ${consent.by} is too old: remove its annotation before it is set again`;
}
