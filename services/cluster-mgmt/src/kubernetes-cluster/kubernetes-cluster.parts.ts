import { ADD_ON_INSTALLATION, KUBERNETES_CLUSTER, type KubernetesCluster } from '@crate/api';
import { policyHints, StandingReviews } from '@crate/messaging';
import { DeletionWatch, type ReconcileKey } from '@crate/reconcile';
import { RecoveryHold, type Foundation, type RegisteredReconciler } from '@crate/service-host';
import { addOnsOfCluster } from '../add-on-installation/add-ons-of-cluster.js';
import { ADD_ON_INSTALLATION_RECONCILER } from '../add-on-installation/add-on-installation.reconciler.js';
import type { ClusterMgmtConfig } from '../config.js';
import { EngineSlots } from '../engine/engine-slots.js';
import { MOST_EXTRA_MS } from '../engine/run-limit.js';
import { observeEngineSlots } from '../engine/slot-metrics.js';
import type { SharedParts } from '../shared-parts.js';
import { NodeDrain } from '../nodes/node-drain.js';
import { SilentWorkers } from '../nodes/silent-workers.js';
import { LossGuard } from '../recovery/loss-guard.js';
import { NodeWatches } from '../target/node-watches.js';
import {
  andIfUp,
  awaitResumption,
  notHeldPhase,
  ofExisting,
  ofMade,
  seenIfFailed,
  type KubernetesClusterPhases,
} from './kubernetes-cluster.phases.js';
import { keepAdmins } from './admin-binding.js';
import { KUBERNETES_CLUSTER_RECONCILER, KubernetesClusterReconciler } from './kubernetes-cluster.reconciler.js';
import type { KubernetesClusterScope } from './kubernetes-cluster.scope.js';
import { AttachPhase } from './phases/attach.phase.js';
import { DrainPhase } from './phases/drain.phase.js';
import { EnginePhase } from './phases/engine.phase.js';
import { ForgetPhase } from './phases/forget.phase.js';
import { machinesPhase } from './phases/machines.phase.js';
import { ObservePhase } from './phases/observe.phase.js';
import { RemoveAddOnsPhase } from './phases/remove-add-ons.phase.js';
import { RemoveEnginePhase } from './phases/remove-engine.phase.js';
import { SshKeyPhase } from './phases/ssh-key.phase.js';

/** More than engines at a time: passes that only look must not wait for those that run an engine. */
const EXTRA_PASSES = 16;
const RESYNC_MS = 10 * 60_000;
const MINUTE_MS = 60_000;

export interface KubernetesClusterParts {
  readonly registered: RegisteredReconciler;
  readonly watches: NodeWatches;
}

/** Puts the reconciler of KubernetesClusters together. */
export function kubernetesClusterParts(
  foundation: Foundation,
  config: ClusterMgmtConfig,
  shared: SharedParts,
): KubernetesClusterParts {
  const { clients, logger } = foundation;
  const { connections, wakeUp } = shared;
  const clusters = clients.for(KUBERNETES_CLUSTER);
  const wake = (key: ReconcileKey): void => {
    const target = { reconciler: KUBERNETES_CLUSTER_RECONCILER, kind: KUBERNETES_CLUSTER };
    void wakeUp
      .wake(target, [key])
      .catch((error: unknown) => logger.warn('Waking a cluster failed', { ...key, error }));
  };
  const watches = new NodeWatches({ connections, onChange: wake });
  const reconciler = new KubernetesClusterReconciler(
    clusters,
    phases(foundation, config, { ...shared, watches, wake }),
    {
      onUsable: (cluster) => wakeAddOns(foundation, shared, cluster),
      events: foundation.events.recorder,
      warnAfterMs: config.deletion.warningAfterMs,
      sharedClock: shared.sharedClock,
    },
  );
  const { concurrency, timeoutMs } = config.engine;
  const longestMs = timeoutMs + MOST_EXTRA_MS;
  const options = {
    concurrency: concurrency + EXTRA_PASSES,
    remoteDeadlineMs: longestMs + MINUTE_MS,
    deadlineMs: longestMs + 2 * MINUTE_MS,
    resyncMs: RESYNC_MS,
  };
  const hints = policyHints(foundation.clients.for(KUBERNETES_CLUSTER));
  return { registered: { reconciler, kind: KUBERNETES_CLUSTER, options, hints }, watches };
}

interface PhaseParts extends SharedParts {
  readonly watches: NodeWatches;
  readonly wake: (key: ReconcileKey) => void;
}

function phases(foundation: Foundation, config: ClusterMgmtConfig, parts: PhaseParts): KubernetesClusterPhases {
  const { clients, store, secrets, logger, metrics } = foundation;
  const events = foundation.events.recorder;
  const { admins, connections, engine, policies, sharedClock, watches, wake } = parts;
  const clusters = clients.for(KUBERNETES_CLUSTER);
  const slots = new EngineSlots(config.engine.concurrency, (key) => wake(JSON.parse(key) as ReconcileKey));
  observeEngineSlots(metrics, slots);
  const { sshUser, contactGraceMs, removalPatienceMs: patienceMs } = config;
  const recovery = new RecoveryHold(foundation.recovery);
  const losses = new LossGuard(connections, recovery);
  const observe = new ObservePhase(connections, { graceMs: contactGraceMs, sharedClock }, watches, losses);
  const engineUp = new EnginePhase({
    engine,
    slots,
    policies,
    // As often as a pass comes in any case.
    standing: new StandingReviews(policies, { everyMs: RESYNC_MS, logger }),
    deletions: new DeletionWatch(clusters, store),
    losses,
    drain: new NodeDrain({ connections, contactGraceMs, logger, sharedClock }),
    silence: new SilentWorkers({ connections, sharedClock }),
    sshUser,
  });
  const attach = ofExisting(new AttachPhase(secrets, config.inCluster).run);
  return {
    bringUp: [
      ofMade(new SshKeyPhase(secrets).run),
      ofMade(machinesPhase),
      ofMade(seenIfFailed(engineUp.run, andIfUp(observe.look, keepAdmins(admins)))),
      attach,
      andIfUp(observe.run, keepAdmins(admins)),
    ],
    pause: [
      ofMade(machinesPhase),
      ofMade(seenIfFailed(engineUp.look, observe.look)),
      attach,
      observe.run,
      awaitResumption,
    ],
    tearDown: [
      recovery.deletionPhase(({ cluster }: KubernetesClusterScope) => cluster),
      notHeldPhase,
      new RemoveAddOnsPhase(clients.for(ADD_ON_INSTALLATION)).run,
      ofMade(new DrainPhase({ engine, connections, logger, events, patienceMs, sharedClock }).run),
      ofMade(new RemoveEnginePhase({ engine, slots, logger, events, sshUser, patienceMs }).run),
      new ForgetPhase(engine, secrets, connections, watches).run,
    ],
  };
}

async function wakeAddOns(foundation: Foundation, shared: SharedParts, { metadata }: KubernetesCluster): Promise<void> {
  const waiting = await addOnsOfCluster(foundation.clients.for(ADD_ON_INSTALLATION), metadata);
  const target = { reconciler: ADD_ON_INSTALLATION_RECONCILER, kind: ADD_ON_INSTALLATION };
  await shared.wakeUp.wake(
    target,
    waiting.map(({ metadata: { name, namespace = '' } }) => ({ namespace, name })),
  );
}
