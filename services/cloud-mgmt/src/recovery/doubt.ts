import type { LastSetBack } from '@crate/service-host';
import type { TerraformRun } from '../terraform-run/terraform-run.repository.js';

/**
 * Whether an Infrastructure may have more in the cloud than its record says, because the memory was once set back. Then each run looks
 * before it makes anything, and takes over what it was about to make. A run that failed since is followed by a look anyway, which also
 * finds what nobody asks for. Pure.
 */
export function isDoubtful(
  setBack: LastSetBack | undefined,
  last: Pick<TerraformRun, 'state' | 'startedAt'> | undefined,
): boolean {
  if (!setBack) return false;
  return setBack.isOpen || !last || last.state === 'succeeded' || last.startedAt < setBack.begunAt;
}
