import { isPlatformError } from '@crate/errors';
import { waiting, type Outcome } from '@crate/reconcile';
import type { EngineState } from '../../engine/cluster-engine.js';
import { KEPT_RUNS } from '../../engine/kept-runs.js';
import { engineProgress } from '../kubernetes-cluster.progress.js';
import type { KubernetesClusterScope } from '../kubernetes-cluster.scope.js';

const POLL_MS = 60_000;
/** The provider calls a machine running minutes before its first boot has installed Docker. No longer than runs are known for. */
const FIRST_BOOT_MS = (KEPT_RUNS - 2) * POLL_MS;

/** What a pass ends with whose machines may still be in their first boot, which is nobody's failure; undefined for every other error. */
export function waitForDocker(
  scope: KubernetesClusterScope,
  error: unknown,
  { triedForMs }: EngineState,
): Outcome | undefined {
  if (!isPlatformError(error) || error.details.reason !== 'DockerNotReady' || triedForMs >= FIRST_BOOT_MS)
    return undefined;
  scope.progress = engineProgress('up', { step: 0, message: 'Waiting for Docker on new machines' });
  return waiting('WaitingForMachines', POLL_MS);
}
