import { Module } from '@nestjs/common';
import { CLOUD_ACCOUNT, NODE_POOL, PROJECT } from '@crate/api';
import { servedEventsV1 } from '@crate/events';
import { GuardedPolicyReviewer, NatsPolicyReviewer, type PolicyReviewer } from '@crate/messaging';
import {
  CONFIG,
  FOUNDATION,
  SERVICE_PARTS,
  serviceContext,
  type Foundation,
  type ServiceParts,
} from '@crate/service-host';
import { historyStart } from './access/history-start.js';
import { ProjectFollower } from './access/project-follower.js';
import { ProjectAuthorizer } from './access/project-authorizer.js';
import { ProjectMembers } from './access/project-members.js';
import { addOnParts } from './add-on/add-on.parts.js';
import { apiKeyParts } from './api-key/api-key.parts.js';
import { mergedAudit, servedAuditEvents } from './audit/audit.parts.js';
import { AccountProviders } from './cluster/account-providers.js';
import { clusterParts } from './cluster/cluster.parts.js';
import { KnownAccounts } from './cluster/known-accounts.js';
import { clusterClassParts } from './cluster-class/cluster-class.parts.js';
import { componentParts } from './component/component.parts.js';
import type { LifecycleConfig } from './config.js';
import { EventGathering } from './events/gathering.js';
import { fleetParts } from './fleet/fleet.parts.js';
import { doorAuthorization } from './front-door/authorization.js';
import { FrontDoor } from './front-door/front-door.js';
import { inClusterParts } from './in-cluster/in-cluster.parts.js';
import { meteringParts } from './metering/metering.parts.js';
import { NodePoolApi } from './node-pool/node-pool.api.js';
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
  const parts = partsOf(whole, config);
  const { foundation, addOns, apiKeys, classes, clusters, components, notifications, plans, projects } = parts;
  return {
    kinds: [
      projects.kind,
      addOns.kind,
      ...classes.kinds,
      { definition: NODE_POOL, api: new NodePoolApi(foundation.api) },
      plans.kind,
      apiKeys.kind,
      notifications.kind,
      components.kind,
      servedAuditEvents(mergedAudit(foundation), historyStart(foundation.clients.for(PROJECT))),
      servedEventsV1(foundation.events.api),
      clusters.kind,
    ],
    reconcilers: [classes, apiKeys, notifications, components, plans, projects, clusters].map((of) => of.reconciler),
    status: { certificates: () => parts.frontDoor.certificates() },
    onStart: () => start(parts),
    onStop: () => stop(parts),
  };
}

type Parts = ReturnType<typeof partsOf>;

/** Everything the service is made of: each stands on what is above it. */
function partsOf(whole: Foundation, config: LifecycleConfig) {
  const inCluster = inClusterParts(whole, config.inCluster);
  const { foundation, hasClouds } = inCluster;
  const { clients, service } = foundation;
  const members = new ProjectMembers();
  const follower = new ProjectFollower({ ...foundation, members });
  const policies = policyReviewer(foundation, config);
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
  const gathering = new EventGathering(foundation, config.events);
  const addOns = addOnParts(foundation, config.addOns);
  const classes = clusterClassParts(clients, service, foundation.events.recorder);
  const providers = new AccountProviders(accounts);
  const authorize = doorAuthorization(new ProjectAuthorizer(members));
  const plans = planParts(foundation, policies, providers, authorize);
  const contents = new RoutedProjectContents(frontDoor.directory, serviceContext(service), inCluster.absentGroups);
  const projects = projectParts(foundation, contents, members);
  const clusters = clusterParts(foundation, config, {
    ...{ policies, accounts, providers, classes, plans, hasClouds },
    ofProject: projects.clusters,
  });
  return {
    ...{ foundation, follower, fleet, releases, metering, platform, frontDoor, gathering },
    ...{ addOns, apiKeys, classes, clusters, components, notifications, plans, projects },
    attachment: inCluster.attachment,
  };
}

function policyReviewer({ service, calls, logger }: Foundation, { policy }: LifecycleConfig): PolicyReviewer {
  return new GuardedPolicyReviewer(new NatsPolicyReviewer(service, calls), {
    whenUnavailable: { ClusterSpec: policy.unavailable.clusterSpec },
    logger,
  });
}

async function start(parts: Parts): Promise<void> {
  await parts.addOns.publish();
  await parts.components.publish();
  await parts.follower.start();
  parts.fleet.feed.start();
  await parts.frontDoor.open();
  parts.releases.start();
  parts.metering?.start();
  parts.platform.start();
  parts.gathering.start();
  parts.notifications.start();
  parts.attachment?.start();
}

async function stop(parts: Parts): Promise<void> {
  await parts.attachment?.stop();
  await parts.notifications.stop();
  await parts.gathering.stop();
  await parts.frontDoor.close();
  await parts.platform.stop();
  await parts.releases.stop();
  await parts.metering?.stop();
  await parts.fleet.feed.stop();
  await parts.follower.stop();
  await parts.addOns.stop();
}
