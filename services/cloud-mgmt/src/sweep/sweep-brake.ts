import type { SweepFinding, SweepSpec } from '@crate/api';
import { RECOVERING } from '@crate/service-host';
import { inRemovalOrder } from './removal-order.js';

/** What is left of one cluster at most; fewer than these never look like a mistake of ours. */
const ALWAYS_ALLOWED = 10;
const DEFAULTS: SweepSpec = { mode: 'remove', maxRemovalPercent: 10 };

/** Why nothing is removed although something should be, as the condition says it. */
export interface RemovalHold {
  readonly reason: 'RemovalHeld' | typeof RECOVERING;
  readonly message: string;
}

/** No setting of the account lets this one go. */
const WHILE_RECOVERING: RemovalHold = {
  reason: RECOVERING,
  message:
    'The database was set back to an older point; once it can be relied upon, "crate recovery confirm" lets removal go on',
};

/** Who carries a removal out. */
export interface RemovalPlan {
  /** To be removed by the sweep itself, at most so many as one pass may. */
  readonly now: readonly SweepFinding[];
  /** To be looked after by the next run of their owners. */
  readonly askOwners: readonly SweepFinding[];
  /** When the next one will have been found for long enough to be acted upon; undefined: none will. */
  readonly settlesInMs: number | undefined;
  readonly held: RemovalHold | undefined;
}

export interface BrakeQuestion {
  readonly findings: readonly SweepFinding[];
  /** Resources of this installation in the account. */
  readonly own: number;
  /** How long something must have been found to be acted upon. */
  readonly graceMs: number;
  readonly maxPerPass: number;
  /** The database was set back to an older point, and nobody has confirmed yet that it may be relied upon. */
  readonly isRecovering?: boolean;
  readonly now: Date;
}

/**
 * What may be done now. A listing may lag behind, so nothing is done about what was only just found; and when very much is to be
 * removed at once, that is more likely a mistake than the truth: then nothing is removed before a person has said so. Pure.
 */
export function planRemovals(spec: SweepSpec | undefined, question: BrakeQuestion): RemovalPlan {
  const { mode, maxRemovalPercent } = spec ?? DEFAULTS;
  const { findings, own, graceMs, maxPerPass, isRecovering = false, now } = question;
  const ripensInMs = ({ since }: SweepFinding): number => Math.max(0, Date.parse(since) + graceMs - now.getTime());
  const ripe = findings.filter((finding) => ripensInMs(finding) === 0);
  const unripe = findings.filter((finding) => finding.decision !== 'report' && !ripe.includes(finding));
  const orphans = ripe.filter(isOrphan);
  const held =
    orphans.length > 0 && isRecovering
      ? WHILE_RECOVERING
      : heldBecause(orphans.length, own, { mode, maxRemovalPercent });
  return {
    now: held === undefined ? inRemovalOrder(orphans).flat().slice(0, maxPerPass) : [],
    askOwners: ripe.filter(
      ({ decision, reason }) => decision === 'adopt' || (reason === 'Duplicate' && mode === 'remove' && !isRecovering),
    ),
    settlesInMs: unripe.length === 0 ? undefined : Math.min(...unripe.map(ripensInMs)),
    held,
  };
}

/** How the account is swept when it does not say. */
export function sweepModeOf(spec: SweepSpec | undefined): SweepSpec['mode'] {
  return (spec ?? DEFAULTS).mode;
}

function isOrphan({ decision, reason }: SweepFinding): boolean {
  return decision === 'remove' && reason === 'OwnerDeleted';
}

function heldBecause(orphans: number, own: number, { mode, maxRemovalPercent }: SweepSpec): RemovalHold | undefined {
  if (orphans === 0) return undefined;
  if (mode === 'report') return removalHeld('Removal is switched off by spec.sweep.mode');
  const most = Math.max(ALWAYS_ALLOWED, Math.floor((own * maxRemovalPercent) / 100));
  if (orphans <= most) return undefined;
  return removalHeld(
    `${orphans} of ${own} resources would be removed, and without a person no more than ${most}; look at them, then raise spec.sweep.maxRemovalPercent`,
  );
}

function removalHeld(message: string): RemovalHold {
  return { reason: 'RemovalHeld', message };
}
