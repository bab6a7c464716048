import {
  ADD_ON,
  ADD_ON_INSTALLATION,
  CLUSTER,
  INFRASTRUCTURE,
  KUBERNETES_CLUSTER,
  POLICY,
  POLICY_WAIVER,
  type KubeObject,
} from '@crate/api';
import { NatsResourceApi, policyHints, type PolicyReviewer } from '@crate/messaging';
import type { AdmissionHook, ServedKind } from '@crate/resource-server';
import { RecoveryHold, type Foundation, type ReconcilerWatch, type RegisteredReconciler } from '@crate/service-host';
import { installedClusterKeysOf } from '../add-on/add-on.wakes.js';
import type { ClusterClassParts } from '../cluster-class/cluster-class.parts.js';
import type { LifecycleConfig } from '../config.js';
import { inClusterAdmission } from '../in-cluster/in-cluster.admission.js';
import { markAdmission, returnPrepare } from '../plan/approved-plan.js';
import type { PlanParts } from '../plan/plan.parts.js';
import type { ProjectParts } from '../project/project.parts.js';
import type { AccountProviders } from './account-providers.js';
import { clusterAdmission } from './cluster.admission.js';
import { ceilingAdmission } from './cluster.ceiling.admission.js';
import { clusterKeysOf, essenceOfChild } from './cluster.children.js';
import { driftAdmission } from './cluster.drift.admission.js';
import { clusterDrift } from './cluster.drift.js';
import { clusterFinalizers } from './cluster.finalizers.js';
import { clusterKubeconfig } from './cluster.kubeconfig.js';
import { clusterLogs } from './cluster.logs.js';
import { clusterPhases } from './cluster.phases.js';
import { clusterPlan } from './cluster.plan.js';
import { ClusterReconciler } from './cluster.reconciler.js';
import { JourneyMetrics } from './journey-metrics.js';
import type { KnownAccounts } from './known-accounts.js';

/** Everything that clusters are made of. */
export interface ClusterParts {
  readonly kind: ServedKind;
  readonly reconciler: RegisteredReconciler;
}

/** What clusters stand on, and what other kinds ask of them. */
export interface ClusterPorts {
  readonly policies: PolicyReviewer;
  readonly accounts: KnownAccounts;
  readonly providers: AccountProviders;
  readonly classes: ClusterClassParts;
  readonly ofProject: ProjectParts['clusters'];
  readonly plans: Pick<PlanParts, 'warnings'>;
  readonly hasClouds: boolean;
}

type Config = Pick<LifecycleConfig, 'cluster' | 'deletion' | 'inCluster'>;

/** Wires clusters into the service. */
export function clusterParts(foundation: Foundation, config: Config, ports: ClusterPorts): ClusterParts {
  const { classes, ofProject } = ports;
  return {
    kind: {
      definition: CLUSTER,
      nameFormat: 'dnsLabel',
      prepare: [returnPrepare, ...ofProject.prepare(classes.prepare)],
      admit: admissionOf(foundation, config, ports),
      subresources: subresourcesOf(foundation),
    },
    reconciler: {
      reconciler: reconcilerOf(foundation, config, ports),
      kind: CLUSTER,
      options: { concurrency: config.cluster.concurrency },
      watches: watchesOf(foundation, ports),
      hints: policyHints(foundation.clients.for(CLUSTER), [POLICY_WAIVER, POLICY]),
    },
  };
}

/** In the order in which they judge. */
function admissionOf({ clients }: Foundation, { inCluster }: Config, ports: ClusterPorts): readonly AdmissionHook[] {
  const { accounts, providers, policies, ofProject, classes, plans } = ports;
  const [catalogue, infrastructures] = [clients.for(ADD_ON), clients.for(INFRASTRUCTURE)];
  return [
    inClusterAdmission(inCluster),
    markAdmission,
    clusterFinalizers,
    ...ofProject.before,
    classes.constraints,
    ceilingAdmission,
    driftAdmission,
    clusterAdmission({ accounts, providers, catalogue, policies, infrastructures }),
    ...ofProject.after,
    plans.warnings,
  ];
}

function subresourcesOf({ calls }: Foundation): NonNullable<ServedKind['subresources']> {
  const cloudMgmt = new NatsResourceApi(calls, 'cloud-mgmt');
  const clusterMgmt = new NatsResourceApi(calls, 'cluster-mgmt');
  return {
    kubeconfig: clusterKubeconfig(clusterMgmt),
    logs: clusterLogs({ cloudMgmt, clusterMgmt }),
    plan: clusterPlan(cloudMgmt),
    drift: clusterDrift(cloudMgmt),
  };
}

function reconcilerOf(foundation: Foundation, { deletion }: Config, ports: ClusterPorts): ClusterReconciler {
  const { clients, events, metrics } = foundation;
  const { policies, providers, classes } = ports;
  const recovery = new RecoveryHold(foundation.recovery);
  const journey = clusterPhases(clients, { policies, providers, classes: classes.preview, recovery });
  return new ClusterReconciler(clients.for(CLUSTER), journey, {
    events: events.recorder,
    warnAfterMs: deletion.warningAfterMs,
    journeys: new JourneyMetrics(metrics),
  });
}

function watchesOf({ clients }: Foundation, { classes, hasClouds }: ClusterPorts): readonly ReconcilerWatch[] {
  const children = [...(hasClouds ? [INFRASTRUCTURE] : []), KUBERNETES_CLUSTER, ADD_ON_INSTALLATION];
  return [
    ...children.map((kind) => ({
      kind,
      keysOf: (child: KubeObject) => clusterKeysOf(child),
      essenceOf: essenceOfChild,
    })),
    classes.wakesClusters,
    { kind: ADD_ON, keysOf: installedClusterKeysOf(clients.for(CLUSTER)) },
  ];
}
