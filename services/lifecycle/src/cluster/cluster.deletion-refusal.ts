import { CLUSTER, CONFIRM_ANNOTATION, type Cluster } from '@crate/api';
import { forbidden, type PlatformError } from '@crate/errors';
import type { Caller } from '@crate/resource-client';
import { isPerson } from '../access/caller-role.js';
import { APPROVE_ANNOTATION, consentOf, type Consent } from './cluster.consent.js';

/** Why this caller may not delete a protected cluster now, and what to do; undefined when somebody consented. */
export function deletionRefusal(cluster: Cluster, caller: Caller, now: Date): PlatformError | undefined {
  const confirmed = consentOf(cluster, CONFIRM_ANNOTATION, now);
  const approved = consentOf(cluster, APPROVE_ANNOTATION, now);
  if (isConfirmed(cluster, confirmed) || isApproved(approved, caller)) return undefined;
  const { name } = cluster.metadata;
  const remedy = remedyFor(cluster);
  const why = [staleness('confirmation', confirmed), staleness('approval', approved), ownness(approved, caller)].join(
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
function isApproved(consent: Consent | undefined, caller: Caller): boolean {
  return consent?.isFresh === true && consent.by === consent.value && isBySomebodyElse(consent, caller);
}

/** A key belongs to anybody, the approver included. */
function isBySomebodyElse(consent: Consent, caller: Caller): boolean {
  return isPerson(caller) && consent.by !== caller.user;
}

function remedyFor({ metadata: { name, namespace = '' } }: Cluster): string {
  const annotate = `kubectl annotate cluster ${name} -n ${namespace} --overwrite`;
  return [
    `An administrator of the Project confirms with: ${annotate} ${CONFIRM_ANNOTATION}=${name}`,
    `or a second person approves with: ${annotate} ${APPROVE_ANNOTATION}=<own name>`,
    `then delete within an hour`,
  ].join('; ');
}

function ownness(consent: Consent | undefined, caller: Caller): string {
  const isOwn = consent?.isFresh === true && !isBySomebodyElse(consent, caller);
  return isOwn ? '. An approval counts for the deletion by another person only' : '';
}

function staleness(what: string, consent: Consent | undefined): string {
  if (!consent || consent.isFresh) return '';
  return `. The ${what} of ${consent.by} is too old: remove its annotation before it is set again`;
}
