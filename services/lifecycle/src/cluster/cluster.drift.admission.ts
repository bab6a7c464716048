import { CLUSTER, parseDriftDecision, RESOLVE_DRIFT_ANNOTATION, type Cluster } from '@crate/api';
import { invalidSpec } from '@crate/errors';
import type { AdmissionHook } from '@crate/resource-server';

const FIELD = `metadata.annotations[${RESOLVE_DRIFT_ANNOTATION}]`;
const LOOK_AGAIN = 'See what differs, and its digest, with "crate drift show" or in status.drift';

/** Refuses a decision about a drift that there is not (422): whoever decides has to have seen it. */
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
  if (!decision) return refused(metadata.name, 'FieldValueInvalid', 'must be correct-DIGEST or keep-DIGEST');
  if (decision.digest !== drift?.digest) {
    const is = drift ? `what differs now is ${drift.digest}` : 'nothing differs';
    return refused(metadata.name, 'FieldValueInvalid', `is about another drift: ${is}`);
  }
  const isAllMissing = drift.resources.every(({ kind }) => kind === 'missing');
  if (decision.action === 'correct' || !isAllMissing) return undefined;
  return refused(metadata.name, 'FieldValueForbidden', 'cannot keep what is missing: it can only be put back');
}

function refused(name: string, reason: string, problem: string): Error {
  // kubectl shows nothing but the causes.
  const told = `${problem}. ${LOOK_AGAIN}`;
  const message = `${FIELD} ${told}`;
  return invalidSpec(
    `Cluster.lifecycle.crate.dev "${name}" is invalid: ${message}`,
    [{ reason, field: FIELD, message: told }],
    { group: CLUSTER.group, kind: CLUSTER.kind, name, reason: 'NoSuchDrift', field: FIELD, remedy: LOOK_AGAIN },
  );
}
