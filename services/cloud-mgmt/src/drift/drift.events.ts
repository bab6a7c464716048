import { conditionMessage, driftSummary, type DriftStatus, type Infrastructure } from '@crate/api';
import type { ConditionTellings, EventDraft, EventRecorder } from '@crate/reconcile';
import type { DriftScope } from './drift-scope.js';

/** What people are told of the conditions; that and what differs is told by `recordDrift`. */
export const DRIFT_TELLINGS: ConditionTellings<Infrastructure> = {
  InSync: {
    becameFalse: (_, { reason, message }) =>
      reason === 'CorrectionHeld' ? { type: 'Warning', reason, message } : undefined,
  },
  OnHold: {
    becameTrue: (_, { message }) => ({ type: 'Warning', reason: 'OnHold', message }),
    becameUntrue: ({ metadata }) =>
      metadata.deletionTimestamp
        ? undefined
        : { type: 'Normal', reason: 'HoldReleased', message: 'Changes are made again' },
  },
};

export interface ToldDrift {
  /** The object as the pass found it, and as it left it. */
  readonly before: Infrastructure;
  readonly after: Infrastructure;
  readonly drift: DriftScope | undefined;
  readonly traceId: string;
}

/** Tells once that a drift appeared, changed or went, and how. */
export function recordDrift(events: EventRecorder, { before, after, drift, traceId }: ToldDrift): void {
  const draft = draftOf(differing(before), differing(after), drift);
  if (draft) events.record(after, { ...draft, message: conditionMessage(draft.message), traceId });
}

function draftOf(
  was: DriftStatus | undefined,
  is: DriftStatus | undefined,
  drift: DriftScope | undefined,
): EventDraft | undefined {
  if (was?.digest === is?.digest) return undefined;
  if (is) return { type: 'Warning', reason: was ? 'DriftChanged' : 'Drifted', message: driftSummary(is) };
  const text = was ? driftSummary(was) : '';
  if (drift?.hasKept) return { type: 'Normal', reason: 'DriftKept', message: `Left as it was found: ${text}` };
  if (drift?.isApplying) return { type: 'Normal', reason: 'DriftCorrected', message: `Put back: ${text}` };
  return { type: 'Normal', reason: 'DriftGone', message: `Nothing differs any more: ${text}` };
}

/** Undefined where nothing differs beyond what was kept. */
function differing({ status }: Infrastructure): DriftStatus | undefined {
  const drift = status?.drift;
  return drift && drift.resources.length + drift.omitted > 0 ? drift : undefined;
}
