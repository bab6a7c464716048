/** What a move goes through. Up to `verified` it can be rolled back; from `moved` on it only goes on. */
export const MOVE_STEPS = [
  'prepared',
  'draining',
  'frozen',
  'copied',
  'verified',
  'moved',
  'switched',
  'retired',
] as const;

/** In the order of `MOVE_STEPS`; a step is recorded when it is done; only the source says `retired` before its processes end. */
export type MoveStep = (typeof MOVE_STEPS)[number];

/** What an installation remembers of its last move, in its own database. */
export interface MoveRecord {
  /** The same in both installations. */
  readonly id: string;
  readonly side: 'source' | 'target';
  /** The last step that this side has seen done. */
  readonly step: MoveStep | 'rolledBack';
  /** Where the API is after the move, if that was told. */
  readonly address?: string;
  readonly changedAt: Date;
}

/** Whether the installation may act: `draining` begins no work, `frozen` and `receiving` take no writes, `moved` never will again. */
export type MoveState = 'serving' | 'draining' | 'frozen' | 'moved' | 'receiving';

/** What the record means for its installation. */
export function stateOf(record: Pick<MoveRecord, 'side' | 'step'> | undefined): MoveState {
  if (!record || record.step === 'rolledBack') return 'serving';
  const at = MOVE_STEPS.indexOf(record.step);
  if (record.side === 'target') return at < MOVE_STEPS.indexOf('switched') ? 'receiving' : 'serving';
  if (at >= MOVE_STEPS.indexOf('moved')) return 'moved';
  if (at >= MOVE_STEPS.indexOf('frozen')) return 'frozen';
  return record.step === 'draining' ? 'draining' : 'serving';
}

/** Id of the move that brought what an installation has, or is about to bring it; undefined where none did. */
export function broughtBy(record: Pick<MoveRecord, 'id' | 'side' | 'step'> | undefined): string | undefined {
  return record?.side === 'target' && record.step !== 'rolledBack' ? record.id : undefined;
}

/** True when the move has come to `step` or beyond. */
export function hasReached(record: Pick<MoveRecord, 'step'> | undefined, step: MoveStep): boolean {
  if (!record || record.step === 'rolledBack') return false;
  return MOVE_STEPS.indexOf(record.step) >= MOVE_STEPS.indexOf(step);
}
