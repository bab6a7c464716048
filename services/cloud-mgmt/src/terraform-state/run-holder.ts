import { hostname } from 'node:os';
import type { StateLock } from '@crate/api';
import type { NewTerraformRun } from '../terraform-run/terraform-run.repository.js';

/** Who holds the lock while a run of this process goes on. */
export const RUN_HOLDER = `cloud-mgmt@${hostname()}`;

/** The lock of a run that this process has opened just now. */
export function lockOfRun({ kind, epoch }: NewTerraformRun, since: Date): StateLock {
  return {
    holder: RUN_HOLDER,
    operation: kind,
    since: since.toISOString(),
    state: 'live',
    epoch: String(epoch),
  };
}
