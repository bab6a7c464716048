import { ADD_ON_INSTALLATION, KUBERNETES_CLUSTER } from '@crate/api';
import { policyHints, StandingReviews } from '@crate/messaging';
import { RecoveryHold, type Foundation, type RegisteredReconciler } from '@crate/service-host';
import type { ClusterMgmtConfig } from '../config.js';
import type { SharedParts } from '../shared-parts.js';
import { AddOnInstallationReconciler } from './add-on-installation.reconciler.js';
import type { AddOnInstallationScope } from './add-on-installation.scope.js';
import { ApplyPhase } from './phases/apply.phase.js';
import { ClusterPhase } from './phases/cluster.phase.js';
import { ReadinessPhase } from './phases/readiness.phase.js';
import { RemoveObjectsPhase } from './phases/remove-objects.phase.js';

const CONCURRENCY = 16;
/** Drift is looked for this often. */
const RESYNC_MS = 5 * 60_000;
const PATIENCE_WHILE_DELETING_MS = 30_000;

/** Puts the reconciler of AddOnInstallations together. */
export function addOnInstallationParts(
  { clients, logger, recovery, events: { recorder } }: Foundation,
  config: ClusterMgmtConfig,
  { connections, policies, sharedClock }: SharedParts,
): RegisteredReconciler {
  const installations = clients.for(ADD_ON_INSTALLATION);
  const cluster = new ClusterPhase(clients.for(KUBERNETES_CLUSTER), connections);
  const patience = { patienceMs: config.removalPatienceMs, patienceWhileDeletingMs: PATIENCE_WHILE_DELETING_MS };
  const hold = new RecoveryHold(recovery);
  // As often as a pass comes in any case.
  const standing = new StandingReviews(policies, { everyMs: RESYNC_MS, logger });
  const apply = new ApplyPhase({ installations, logger, events: recorder, recovery: hold, policies, standing });
  const phases = {
    bringUp: [cluster.bringUp, apply.run, new ReadinessPhase().run],
    tearDown: [
      hold.deletionPhase(({ installation }: AddOnInstallationScope) => installation),
      cluster.tearDown,
      new RemoveObjectsPhase(patience, { installations, logger, policies, sharedClock }).run,
    ],
  };
  const { warningAfterMs: warnAfterMs } = config.deletion;
  const reconciler = new AddOnInstallationReconciler(installations, phases, recorder, { sharedClock, warnAfterMs });
  const options = { concurrency: CONCURRENCY, remoteDeadlineMs: 120_000, deadlineMs: 135_000, resyncMs: RESYNC_MS };
  const hints = policyHints(installations);
  return { reconciler, kind: ADD_ON_INSTALLATION, options, hints };
}
