import {
  ADD_ON,
  ADD_ON_INSTALLATION,
  CLUSTER,
  INFRASTRUCTURE,
  KUBERNETES_CLUSTER,
  PLAN,
  POLICY,
  PROJECT,
  type KubeObject,
} from '@crate/api';
import type { PolicyReviewer } from '@crate/messaging';
import { readPrices } from '@crate/pricing';
import type { EventRecorder } from '@crate/reconcile';
import type { CallContext, ResourceApi } from '@crate/resource-client';
import { keepFinalizers, type AdmissionHook, type Authorize, type ServedKind } from '@crate/resource-server';
import { serviceContext, type Foundation, type RegisteredReconciler, type ServiceClients } from '@crate/service-host';
import type { AccountProviders } from '../cluster/account-providers.js';
import { planNameOf } from './approved-plan.js';
import { NatsCloudPlanner, type CloudPlanner } from './cloud-planner.js';
import { consequenceWarnings } from './consequence-warnings.js';
import { ConsequenceResolver } from './consequences/consequence-resolver.js';
import { PlanApproval } from './plan-approval.js';
import { PlanExecution } from './plan-execution.js';
import { PlanPreparation } from './plan-preparation.js';
import { planAdmission, SERVICE } from './plan.admission.js';
import { PLAN_FINALIZER, PlanReconciler } from './plan.reconciler.js';

/** Everything that plans are made of. */
export interface PlanParts {
  readonly kind: ServedKind;
  readonly reconciler: RegisteredReconciler;
  /** Tells in a dry run of a cluster what it would lead to; after all hooks that judge. */
  readonly warnings: AdmissionHook;
}

/** Previews wait for each other in cloud-mgmt. */
const CONCURRENCY = 4;
const PASS_MS = 180_000;

/** What plans stand on. */
export interface PlanningPorts {
  readonly clients: ServiceClients;
  /** The service's own kinds. */
  readonly api: ResourceApi;
  readonly planner: CloudPlanner;
  readonly policies: PolicyReviewer;
  readonly providers: Pick<AccountProviders, 'of'>;
  /** As the door does. */
  readonly authorize: Authorize;
  /** As whom this service acts. */
  readonly context: CallContext;
  readonly events?: EventRecorder;
  readonly now?: () => Date;
}

/** What works plans out and carries them out. */
export interface Planning {
  readonly reconciler: PlanReconciler;
  readonly approval: PlanApproval;
  readonly consequences: ConsequenceResolver;
}

/** Puts it together. */
export function planningOf(ports: PlanningPorts): Planning {
  const { clients, api, planner, policies, providers, authorize, context, events, now } = ports;
  const clock = now ?? ((): Date => new Date());
  const [plans, clusters, projects] = [clients.for(PLAN), clients.for(CLUSTER), clients.for(PROJECT)];
  const catalogue = clients.for(ADD_ON);
  const consequences = new ConsequenceResolver({
    planner,
    policies,
    providers,
    catalogue,
    clusters,
    projects,
    installations: clients.for(ADD_ON_INSTALLATION),
    kubernetesClusters: clients.for(KUBERNETES_CLUSTER),
    infrastructures: clients.for(INFRASTRUCTURE),
    prices: readPrices(),
  });
  const preparation = new PlanPreparation({ api, clusters, consequences, catalogue, policies: clients.for(POLICY) });
  const infrastructures = clients.for(INFRASTRUCTURE);
  const execution = new PlanExecution({ api, plans, clusters, infrastructures, preparation }, clock);
  return {
    reconciler: new PlanReconciler({ plans, preparation, execution, context, ...(events ? { events } : {}) }, clock),
    approval: new PlanApproval({ plans, projects, clusters, api, authorize }, clock),
    consequences,
  };
}

/** Wires plans into the service. */
export function planParts(
  foundation: Foundation,
  policies: PolicyReviewer,
  providers: Pick<AccountProviders, 'of'>,
  authorize: Authorize,
): PlanParts {
  const { calls, service } = foundation;
  const context = serviceContext(service);
  const planner = new NatsCloudPlanner(calls);
  const events = foundation.events.recorder;
  const planning = planningOf({ ...foundation, planner, policies, providers, authorize, context, events });
  return {
    kind: servedPlans(planning.approval),
    reconciler: {
      reconciler: planning.reconciler,
      kind: PLAN,
      options: { concurrency: CONCURRENCY, remoteDeadlineMs: PASS_MS, deadlineMs: PASS_MS + 10_000 },
      watches: [{ kind: CLUSTER, keysOf: planKeysOf }],
    },
    warnings: consequenceWarnings(planning.consequences),
  };
}

/** The kind as it is served. */
export function servedPlans(approval: PlanApproval): ServedKind {
  return {
    definition: PLAN,
    nameFormat: 'dnsLabel',
    admit: [planAdmission, keepFinalizers(SERVICE, [PLAN_FINALIZER])],
    subresources: { approve: { write: (...call) => approval.approve(...call) } },
  };
}

/** The plan that a cluster is being changed by. */
function planKeysOf(cluster: KubeObject): readonly { readonly namespace: string; readonly name: string }[] {
  const name = planNameOf(cluster);
  return name === undefined ? [] : [{ namespace: cluster.metadata.namespace ?? '', name }];
}
