import { isPlatformError } from '@crate/errors';
import { waiting, type Outcome } from '@crate/reconcile';
import { FIRST_BOOT_POLL_MS } from '../../engine/first-boot.js';
import { engineProgress } from '../kubernetes-cluster.progress.js';
import type { KubernetesClusterScope } from '../kubernetes-cluster.scope.js';

/** What a pass ends with whose machines may still be in their first boot, which is nobody's failure; undefined for every other error. */
export function waitForDocker(scope: KubernetesClusterScope, error: unknown): Outcome | undefined {
  if (!isPlatformError(error) || error.details.reason !== 'FirstBoot') return undefined;
  scope.progress = engineProgress('up', { step: 0, message: 'Waiting for Docker on new machines' });
  return waiting('WaitingForMachines', FIRST_BOOT_POLL_MS);
}
