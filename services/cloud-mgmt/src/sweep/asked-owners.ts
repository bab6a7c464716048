import type { CloudAccount, Infrastructure, SweepFinding } from '@crate/api';
import type { TerraformRun } from '../terraform-run/terraform-run.repository.js';
import { isUnbegun } from '../terraform-run/unbegun-run.js';

/** Stands for the last run of an owner that has none. */
export const NO_RUN = 'none';

/**
 * Whether a sweep has asked the Infrastructure to look for resources that its state does not know, and no run has begun since. Runs are told
 * apart by their ids: clocks of replicas differ, and a question that never counts as answered would be answered for ever. Pure.
 */
export function isAskedToLook(
  { metadata }: Infrastructure,
  { status }: CloudAccount,
  last: Pick<TerraformRun, 'id' | 'state' | 'hasBegun'> | undefined,
): boolean {
  // Any other run is followed by one that looks anyway, and that also looks for what it was about to make. What never began may be followed by none.
  if (last && last.state !== 'succeeded' && !isUnbegun(last)) return false;
  const findings: readonly SweepFinding[] = status?.sweep?.findings ?? [];
  return findings.some(({ owner, askedAfter }) => owner.uid === metadata.uid && askedAfter === (last?.id ?? NO_RUN));
}

/** The findings with what their owners are asked after. Pure. */
export function asking(
  findings: readonly SweepFinding[],
  lastRunOf: (ownerUid: string) => string | undefined,
): readonly SweepFinding[] {
  return findings.map((finding) => ({ ...finding, askedAfter: lastRunOf(finding.owner.uid) ?? NO_RUN }));
}
