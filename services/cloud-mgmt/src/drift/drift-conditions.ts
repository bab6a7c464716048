import {
  conditionFalse,
  conditionMessage,
  conditionTrue,
  conditionUnknown,
  driftSummary,
  factOf,
  findCondition,
  RELEASE_HELD,
  RUN_HELD,
  RESOLVE_DRIFT_ANNOTATION,
  type ConditionFact,
  type DriftFailure,
  type DriftStatus,
} from '@crate/api';
import type { InfrastructureScope } from '../infrastructure/infrastructure.scope.js';
import { isDrifted, type DriftRecord } from './drift-record.js';
import { RELEASE_REMEDY } from './released-stack.js';

/** One failed comparison is nothing to be told about: the next one is made soon. */
const FAILURES_TOLD = 3;

/** Of a failure before what a person decides by. */
const LONGEST_BEFORE = 100;

/** What is known of drift, and whether changes wait for a decision. Pure. */
export function driftFacts(scope: InfrastructureScope): readonly ConditionFact[] {
  return [inSync(scope), onHold(scope)];
}

/** What differs, as the status has it. Pure. */
export function publishedDrift({ drift, infrastructure }: InfrastructureScope): { readonly drift?: DriftStatus } {
  const known = drift ? drift.record.drift : infrastructure.status?.drift;
  return known ? { drift: known } : {};
}

function inSync({ drift, infrastructure }: InfrastructureScope): ConditionFact {
  const before = findCondition(infrastructure.status?.conditions, 'InSync');
  if (drift) return factOfRecord(drift.record);
  return before ? factOf(before) : notChecked();
}

function factOfRecord(record: DriftRecord): ConditionFact {
  const { drift, held, checkedAt } = record;
  const failing = failingText(record);
  if (drift && isDrifted(record)) {
    const known = [...(held ? [held.message] : []), driftSummary(drift)].join('; ');
    const text = failing === undefined ? known : failingSince(conditionMessage(failing, LONGEST_BEFORE), known);
    return conditionFalse('InSync', held ? 'CorrectionHeld' : 'Drifted', conditionMessage(text));
  }
  if (failing !== undefined) return conditionUnknown('InSync', 'CheckFailed', conditionMessage(failing));
  return checkedAt ? conditionTrue('InSync', 'InSync', keptText(drift)) : notChecked();
}

function failingText(record: DriftRecord): string | undefined {
  const failure = toldFailure(record);
  return failure && `${failure.code}: ${failure.message}`;
}

function toldFailure({ failures, failure }: DriftRecord): DriftFailure | undefined {
  return failures >= FAILURES_TOLD ? failure : undefined;
}

/** What is known may be long, and may be of last week; that nobody looks any more goes first. */
function failingSince(failing: string, known: string): string {
  return `Comparisons fail since, ${failing}; ${known}`;
}

function keptText(drift: DriftStatus | undefined): string {
  const count = drift?.kept?.length ?? 0;
  if (count === 0) return '';
  return `${count} attribute${count === 1 ? ' is' : 's are'} left as found`;
}

function notChecked(): ConditionFact {
  return conditionUnknown('InSync', 'NotChecked', 'Not compared with the cloud yet');
}

function onHold(scope: InfrastructureScope): ConditionFact {
  const { drift, infrastructure } = scope;
  const before = findCondition(infrastructure.status?.conditions, 'OnHold');
  const notHeld = conditionFalse('OnHold', 'NotHeld', '');
  // Whoever has it deleted has decided.
  if (infrastructure.metadata.deletionTimestamp) return notHeld;
  if (!drift) return before ? factOf(before) : notHeld;
  const { drift: found, unasked } = drift.record;
  if (drift.isReleaseHeld && unasked !== undefined) {
    return conditionTrue(
      'OnHold',
      RELEASE_HELD,
      holdText(drift.record, `The release would ${unasked}. ${RELEASE_REMEDY}`),
    );
  }
  if (!drift.isOnHold) return notHeld;
  if (!found || !isDrifted(drift.record)) {
    const asked = `Nobody has asked for what a run would do: ${unasked}. ${RELEASE_REMEDY}`;
    return unasked === undefined ? notHeld : conditionTrue('OnHold', RUN_HELD, holdText(drift.record, asked));
  }
  const ways = `${RESOLVE_DRIFT_ANNOTATION} to correct-${found.digest} puts it back, to keep-${found.digest} leaves it`;
  const waiting = waitingText(scope, unasked);
  return conditionTrue(
    'OnHold',
    'Drifted',
    holdText(drift.record, `${waiting} until somebody decides: setting ${ways}`),
  );
}

/** What waits for a decision about what differs. */
function waitingText({ drift, infrastructure: { spec } }: InfrastructureScope, unasked: string | undefined): string {
  if (drift?.isReleaseHeld) return 'What the release changes waits';
  if (spec.drift.policy === 'hold' || unasked === undefined) return 'Nothing is changed';
  return `What is left to do (${unasked}) waits`;
}

/** A Cluster shows the hold in the place of InSync, which has the failure in full. */
function holdText(record: DriftRecord, waiting: string): string {
  const failure = toldFailure(record);
  return conditionMessage(failure ? failingSince(failure.code, waiting) : waiting);
}
