import { toTimestamp, type CloudAccount, type Infrastructure, type SweepFinding } from '@crate/api';
import type { TerraformRun } from '../terraform-run/terraform-run.repository.js';

/** Whether a sweep has asked the Infrastructure to look for resources that its state does not know, and no run has begun since. Pure. */
export function isAskedToLook(
  { metadata }: Infrastructure,
  { status }: CloudAccount,
  last: Pick<TerraformRun, 'startedAt' | 'state'> | undefined,
): boolean {
  // Any other run is followed by one that looks anyway, and that also looks for what it was about to make.
  if (last && last.state !== 'succeeded') return false;
  const findings: readonly SweepFinding[] = status?.sweep?.findings ?? [];
  const asked = findings.flatMap(({ owner, askedAt }) =>
    owner.uid === metadata.uid && askedAt !== undefined ? [askedAt] : [],
  );
  return asked.some((askedAt) => !last || toTimestamp(last.startedAt) <= askedAt);
}
