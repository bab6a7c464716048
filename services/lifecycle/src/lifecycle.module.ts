import { Module } from '@nestjs/common';
import {
  ADD_ON,
  ADD_ON_INSTALLATION,
  CLOUD_ACCOUNT,
  CLUSTER,
  INFRASTRUCTURE,
  KUBERNETES_CLUSTER,
  NODE_POOL,
  POLICY,
  POLICY_WAIVER,
  PROJECT,
  type KubeObject,
} from '@crate/api';
import { servedEventsV1 } from '@crate/events';
import { loadAddOnPackages } from '@crate/kubernetes';
import { GuardedPolicyReviewer, NatsPolicyReviewer, NatsResourceApi, policyHints } from '@crate/messaging';
import {
  CONFIG,
  FOUNDATION,
  RecoveryHold,
  SERVICE_PARTS,
  serviceContext,
  type Foundation,
  type ServiceParts,
} from '@crate/service-host';
import { historyStart } from './access/history-start.js';
import { ProjectFollower } from './access/project-follower.js';
import { ProjectAuthorizer } from './access/project-authorizer.js';
import { ProjectMembers } from './access/project-members.js';
import { apiKeyParts } from './api-key/api-key.parts.js';
import { installedClusterKeysOf } from './add-on/add-on.wakes.js';
import { addOnAdmission } from './add-on/add-on.admission.js';
import { addOnPrepare } from './add-on/add-on.prepare.js';
import { publishCatalogue } from './add-on/add-on.catalogue.js';
import { mergedAudit, servedAuditEvents } from './audit/audit.parts.js';
import { componentParts } from './component/component.parts.js';
import { clusterClassParts } from './cluster-class/cluster-class.parts.js';
import { AccountProviders } from './cluster/account-providers.js';
import { BlockedDeletions } from './cluster/blocked-deletions.js';
import { clusterAdmission } from './cluster/cluster.admission.js';
import { ceilingAdmission } from './cluster/cluster.ceiling.admission.js';
import { driftAdmission } from './cluster/cluster.drift.admission.js';
import { clusterDrift } from './cluster/cluster.drift.js';
import { clusterKeysOf } from './cluster/cluster.children.js';
import { clusterFinalizers } from './cluster/cluster.finalizers.js';
import { clusterKubeconfig } from './cluster/cluster.kubeconfig.js';
import { clusterLogs } from './cluster/cluster.logs.js';
import { clusterPhases } from './cluster/cluster.phases.js';
import { clusterPlan } from './cluster/cluster.plan.js';
import { ClusterReconciler } from './cluster/cluster.reconciler.js';
import { JourneyMetrics } from './cluster/journey-metrics.js';
import { KnownAccounts } from './cluster/known-accounts.js';
import type { LifecycleConfig } from './config.js';
import { EventGathering } from './events/gathering.js';
import { fleetParts } from './fleet/fleet.parts.js';
import { doorAuthorization } from './front-door/authorization.js';
import { FrontDoor } from './front-door/front-door.js';
import { meteringParts } from './metering/metering.parts.js';
import { inClusterAdmission } from './in-cluster/in-cluster.admission.js';
import { inClusterParts } from './in-cluster/in-cluster.parts.js';
import { NodePoolApi } from './node-pool/node-pool.api.js';
import { markAdmission } from './plan/approved-plan.js';
import { notificationParts } from './notification/notification.parts.js';
import { planParts } from './plan/plan.parts.js';
import { platformStatusParts } from './platform-status/platform-status.parts.js';
import { projectParts } from './project/project.parts.js';
import { RoutedProjectContents } from './project/routed-project-contents.js';
import { releaseParts } from './release/release.parts.js';

/** Wires the lifecycle service: its kinds, their reconcilers and the public front door. */
@Module({
  providers: [{ provide: SERVICE_PARTS, useFactory: lifecycleParts, inject: [FOUNDATION, CONFIG] }],
  exports: [SERVICE_PARTS],
})
export class LifecycleModule {}

function lifecycleParts(whole: Foundation, config: LifecycleConfig): ServiceParts {
  const inCluster = inClusterParts(whole, config.inCluster);
  const { foundation, hasClouds } = inCluster;
  const { clients, calls, service } = foundation;
  const members = new ProjectMembers();
  const projects = new ProjectFollower({ ...foundation, members });
  const policies = new GuardedPolicyReviewer(new NatsPolicyReviewer(service, calls), {
    whenUnavailable: { ClusterSpec: config.policy.unavailable.clusterSpec },
    logger: foundation.logger,
  });
  const apiKeys = apiKeyParts(foundation, config.apiKeys);
  const notifications = notificationParts(foundation, config);
  const fleet = fleetParts(foundation, hasClouds);
  const releases = releaseParts(foundation, config.releases);
  const metering = meteringParts(foundation, config.marketplace, () => fleet.index.size);
  const platform = platformStatusParts(foundation, releases, metering, config.inCluster.enabled);
  const components = componentParts(foundation, config.components, {
    releases,
    services: async () => (await platform.read()).services,
    names: inCluster.components,
  });
  const accounts = new KnownAccounts(clients.for(CLOUD_ACCOUNT));
  accounts.listen(foundation.hints);
  const frontDoor = new FrontDoor(foundation, config, {
    members,
    accounts,
    machines: apiKeys.authenticator,
    fleet: fleet.index,
    platform: () => platform.read(),
    planUpgrade: components.plan,
  });
  const providers = new AccountProviders(accounts);
  const catalogue = clients.for(ADD_ON);
  const cloudMgmt = new NatsResourceApi(calls, 'cloud-mgmt');
  const clusterMgmt = new NatsResourceApi(calls, 'cluster-mgmt');
  const gathering = new EventGathering(foundation, config.events);
  const classes = clusterClassParts(clients, service);
  const recovery = new RecoveryHold(foundation.recovery);
  const journey = clusterPhases(clients, { policies, providers, classes: classes.preview, recovery });
  const blocked = new BlockedDeletions();
  blocked.observe(foundation.metrics);
  const contents = new RoutedProjectContents(frontDoor.directory, serviceContext(service), inCluster.absentGroups);
  const authorize = doorAuthorization(new ProjectAuthorizer(members));
  const plans = planParts(foundation, policies, providers, authorize);
  const tenancy = projectParts(foundation, contents, members);
  return {
    kinds: [
      tenancy.kind,
      {
        definition: ADD_ON,
        nameFormat: 'dnsLabel',
        prepare: [addOnPrepare(clients.for(CLUSTER))],
        admit: [addOnAdmission(clients.for(CLUSTER))],
      },
      ...classes.kinds,
      { definition: NODE_POOL, api: new NodePoolApi(foundation.api) },
      plans.kind,
      apiKeys.kind,
      notifications.kind,
      components.kind,
      servedAuditEvents(mergedAudit(foundation), historyStart(clients.for(PROJECT))),
      servedEventsV1(foundation.events.api),
      {
        definition: CLUSTER,
        nameFormat: 'dnsLabel',
        prepare: [tenancy.clusters.prepare, classes.prepare],
        admit: [
          inClusterAdmission(config.inCluster),
          markAdmission,
          clusterFinalizers,
          ...tenancy.clusters.before,
          classes.constraints,
          ceilingAdmission,
          driftAdmission,
          clusterAdmission({ accounts, providers, catalogue, policies, infrastructures: clients.for(INFRASTRUCTURE) }),
          ...tenancy.clusters.after,
          plans.warnings,
        ],
        subresources: {
          kubeconfig: clusterKubeconfig(clusterMgmt),
          logs: clusterLogs({ cloudMgmt, clusterMgmt }),
          plan: clusterPlan(cloudMgmt),
          drift: clusterDrift(cloudMgmt),
        },
      },
    ],
    reconcilers: [
      classes.reconciler,
      apiKeys.reconciler,
      notifications.reconciler,
      components.reconciler,
      plans.reconciler,
      tenancy.reconciler,
      {
        reconciler: new ClusterReconciler(clients.for(CLUSTER), journey, {
          events: foundation.events.recorder,
          warnAfterMs: config.deletion.warningAfterMs,
          blocked,
          journeys: new JourneyMetrics(foundation.metrics),
        }),
        kind: CLUSTER,
        options: { concurrency: config.cluster.concurrency },
        watches: [
          ...[...(hasClouds ? [INFRASTRUCTURE] : []), KUBERNETES_CLUSTER, ADD_ON_INSTALLATION].map((kind) => ({
            kind,
            keysOf: (child: KubeObject) => clusterKeysOf(child),
          })),
          classes.wakesClusters,
          { kind: ADD_ON, keysOf: installedClusterKeysOf(clients.for(CLUSTER)) },
        ],
        hints: policyHints(clients.for(CLUSTER), [POLICY_WAIVER, POLICY]),
      },
    ],
    status: { certificates: () => frontDoor.certificates() },
    onStart: async () => {
      await publishCatalogue(catalogue, await loadAddOnPackages(config.addOns.dir));
      await components.publish();
      await projects.start();
      fleet.feed.start();
      await frontDoor.open();
      releases.start();
      metering?.start();
      platform.start();
      gathering.start();
      notifications.start();
      inCluster.attachment?.start();
    },
    onStop: async () => {
      await inCluster.attachment?.stop();
      await notifications.stop();
      await gathering.stop();
      await frontDoor.close();
      await platform.stop();
      await releases.stop();
      await metering?.stop();
      await fleet.feed.stop();
      await projects.stop();
    },
  };
}
