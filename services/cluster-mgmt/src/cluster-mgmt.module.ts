import { Module } from '@nestjs/common';
import { ADD_ON_INSTALLATION, KUBERNETES_CLUSTER } from '@crate/api';
import { GuardedPolicyReviewer, NatsPolicyReviewer } from '@crate/messaging';
import { PostgresLogParts, RunLogs } from '@crate/run-log';
import { CONFIG, FOUNDATION, SERVICE_PARTS, type Foundation, type ServiceParts } from '@crate/service-host';
import { addOnInstallationParts } from './add-on-installation/add-on-installation.parts.js';
import type { ClusterMgmtConfig } from './config.js';
import { engineLiveness } from './engine/engine-liveness.js';
import { KEPT_RUNS } from './engine/kept-runs.js';
import { PrismaEngineRunRepository } from './engine/prisma-engine-run.repository.js';
import { RkeEngine } from './engine/rke/rke-engine.js';
import { ensureWorkspaceRoot, removeEmptyRoot, sweepWorkspaces } from './engine/rke/workspace-root.js';
import { engineLocks } from './engine-state/engine-lock-view.js';
import { serveEngineStates } from './engine-state/engine-state.serving.js';
import { AdminBinding } from './kubernetes-cluster/admin-binding.js';
import { serveKubernetesClusters } from './kubernetes-cluster/kubernetes-cluster.serving.js';
import { kubernetesClusterParts } from './kubernetes-cluster/kubernetes-cluster.parts.js';
import { sharedClock } from './shared-clock.js';
import type { SharedParts } from './shared-parts.js';
import { engineStatus } from './status/engine-status.js';
import { StoredClusterConnections } from './target/cluster-connections.js';
import { connector } from './target/in-cluster.connection.js';
import { WakeUp } from './wake-up.js';

/** Wires cluster-mgmt: two kinds, two reconcilers, one engine. */
@Module({
  providers: [{ provide: SERVICE_PARTS, useFactory: clusterMgmtParts, inject: [FOUNDATION, CONFIG] }],
  exports: [SERVICE_PARTS],
})
export class ClusterMgmtModule {}

function clusterMgmtParts(foundation: Foundation, config: ClusterMgmtConfig): ServiceParts {
  const { service, calls, database, secrets, queue, hints, logger, metrics } = foundation;
  const runs = new PrismaEngineRunRepository(database);
  const logs = new RunLogs({ parts: new PostgresLogParts(database), logger, keepRuns: KEPT_RUNS });
  const workspaceRoot = (): Promise<string> => ensureWorkspaceRoot(config.workspacesDir);
  const { rkeBinary: binary, path } = config;
  const { timeoutMs, graceMs } = config.engine;
  const liveness = engineLiveness(runs, { graceMs, leaseMs: config.reconcile.leaseMs });
  const { unavailable } = config.policy;
  const connections = new StoredClusterConnections(secrets, connector(config.inCluster));
  const shared: SharedParts = {
    connections,
    admins: new AdminBinding(connections, logger),
    engine: new RkeEngine({
      runs,
      logs,
      secrets,
      logger,
      metrics,
      binary,
      path,
      workspaceRoot,
      timeoutMs,
      graceMs,
      liveness,
    }),
    wakeUp: new WakeUp(service, queue, hints),
    policies: new GuardedPolicyReviewer(new NatsPolicyReviewer(service, calls), {
      whenUnavailable: { EngineConfig: unavailable.engineConfig, Manifest: unavailable.manifest },
      logger,
    }),
    sharedClock: sharedClock(runs),
  };
  const clusters = kubernetesClusterParts(foundation, config, shared);
  const locks = engineLocks(foundation, { runs, liveness });
  const states = serveEngineStates(foundation, { runs, locks, wakeUp: shared.wakeUp });
  const { readLock } = states;
  return {
    kinds: [
      serveKubernetesClusters({
        clusters: foundation.clients.for(KUBERNETES_CLUSTER),
        runs,
        logs,
        secrets,
        admins: shared.admins,
        readLock,
      }),
      states.kind,
      { definition: ADD_ON_INSTALLATION },
    ],
    reconcilers: [clusters.registered, addOnInstallationParts(foundation, config, shared)],
    status: engineStatus(foundation, runs, locks),
    onStart: async () => {
      await liveness.look();
      await sweepWorkspaces(await workspaceRoot(), runs);
    },
    onStop: async () => {
      clusters.watches.close();
      await connections.close();
      await removeEmptyRoot(await workspaceRoot());
    },
  };
}
