import { CLUSTER, parseDriftDecision, RESOLVE_DRIFT_ANNOTATION, type Cluster } from '@crate/api';
import { invalidSpec } from '@crate/errors';
import type { AdmissionHook } from '@crate/resource-server';
import { forbiddenCluster } from './cluster.forbidden.js';

const FIELD = `metadata.annotations[${RESOLVE_DRIFT_ANNOTATION}]`;
const LOOK_AGAIN = 'See what differs, and its digest, with "crate drift show" or in status.drift';

/**
 * Refuses a decision about a drift that there is not (403, `NoSuchDrift`): whoever decides has to have seen it. What differs may change
 * at any time, also while a decision is on its way. One that cannot be read is 422.
 */
export const driftAdmission: AdmissionHook = ({ object, oldObject }) => {
  const value = object.metadata.annotations?.[RESOLVE_DRIFT_ANNOTATION];
  const isNews = value !== undefined && value !== oldObject?.metadata.annotations?.[RESOLVE_DRIFT_ANNOTATION];
  const refusal = isNews ? decisionRefusal(object as Cluster, value) : undefined;
  return refusal ? Promise.reject(refusal) : Promise.resolve();
};

/** Why the decision cannot be made; undefined when it can. Pure. */
export function decisionRefusal({ metadata, status }: Cluster, value: string): Error | undefined {
  const decision = parseDriftDecision(value);
  const drift = status?.drift;
  if (!decision) return unreadable(metadata.name);
  if (decision.digest !== drift?.digest) {
    const is = drift ? `what differs now is ${drift.digest}` : 'nothing differs';
    return noSuchDrift(metadata.name, `is about another drift: ${is}`);
  }
  const isAllMissing = drift.resources.every(({ kind }) => kind === 'missing');
  if (decision.action === 'correct' || !isAllMissing) return undefined;
  return noSuchDrift(metadata.name, 'cannot keep what is missing: it can only be put back');
}

function noSuchDrift(name: string, message: string): Error {
  const reason = 'NoSuchDrift';
  return forbiddenCluster(name, [{ reason, field: FIELD, message }], { reason, remedy: LOOK_AGAIN });
}

function unreadable(name: string): Error {
  // kubectl shows nothing but the causes.
  const message = `must be correct-DIGEST or keep-DIGEST. ${LOOK_AGAIN}`;
  return invalidSpec(
    `Cluster.${CLUSTER.group} "${name}" is invalid: ${FIELD}: ${message}`,
    [{ reason: 'FieldValueInvalid', field: FIELD, message }],
    { group: CLUSTER.group, kind: CLUSTER.kind, name, field: FIELD, remedy: LOOK_AGAIN },
  );
}
