import {
  APPROVED_BY_ANNOTATION,
  CLUSTER,
  PLAN,
  planApprovalRequest,
  toTimestamp,
  type Cluster,
  type KubeObject,
  type Plan,
  type Project,
} from '@crate/api';
import { conflict, forbidden } from '@crate/errors';
import type {
  Caller,
  CallContext,
  ResourceApi,
  ResourceRef,
  SubresourceWrite,
  TypedClient,
} from '@crate/resource-client';
import type { Authorize, Verb } from '@crate/resource-server';
import { parsedBody } from '@crate/service-host';
import { isApiKey, isPerson } from '../access/caller-role.js';
import { approvalText, expiryOf, factsOf, phaseOf } from './plan-facts.js';
import { plannerOf } from './plan.admission.js';
import { planStatus } from './plan.status.js';
import { withoutConsequences } from './consequence-warnings.js';
import { WishedWrite } from './wished-write.js';

export interface ApprovalPorts {
  readonly plans: Pick<TypedClient<Plan>, 'merge'>;
  readonly projects: Pick<TypedClient<Project>, 'find'>;
  readonly clusters: Pick<TypedClient<Cluster>, 'find'>;
  readonly api: ResourceApi;
  /** What the door asks of whoever comes in, the scope of a key included: what is done here in their name does not pass it again. */
  readonly authorize: Authorize;
}

/** Answers the `approve` subresource. */
export class PlanApproval {
  constructor(
    private readonly ports: ApprovalPorts,
    private readonly now: () => Date = () => new Date(),
  ) {}

  /**
   * Records who approved the plan, and when; approving it again changes nothing. Throws Conflict unless the plan is Ready and the
   * one whose uid is said, and Forbidden for somebody who may not make the change, or not alone.
   */
  async approve(
    object: KubeObject,
    _ref: ResourceRef,
    write: SubresourceWrite,
    context: CallContext,
  ): Promise<unknown> {
    const plan = object as Plan;
    requireSame(plan, parsedBody(planApprovalRequest, write.body));
    const facts = factsOf(plan);
    const phase = phaseOf(facts);
    if (facts.approval && !facts.end) return plan;
    const isLate = this.now().getTime() >= expiryOf(plan).getTime();
    if (phase !== 'Ready' || isLate) throw notReady(plan, isLate && phase === 'Ready' ? 'Expired' : phase);
    await this.requireAnother(plan, context);
    await this.requireRight(plan, context);
    const approval = { by: context.caller.user, at: toTimestamp(this.now()) };
    const status = planStatus(plan, { ...facts, approval }, { now: this.now() });
    return { ...(write.dryRun ? plan : await this.record(plan, approvalText(approval))), status };
  }

  /** Of the very version that was judged, or Conflict. */
  private async record({ metadata }: Plan, approval: string): Promise<Plan> {
    const { name, namespace, uid, resourceVersion } = metadata;
    const annotations = { [APPROVED_BY_ANNOTATION]: approval };
    return this.ports.plans.merge(name, namespace, { metadata: { uid, resourceVersion, annotations } });
  }

  private async requireAnother(plan: Plan, { caller }: CallContext): Promise<void> {
    const { namespace = '' } = plan.metadata;
    const project = await this.ports.projects.find(namespace);
    if (project?.spec.planApproval !== 'AnotherPerson') return;
    const refusal = againstApprover(plannerOf(plan), caller);
    if (!refusal) return;
    const message = `Project "${namespace}" asks that another person than the planner approves a plan${refusal.why}`;
    throw forbidden(message, { ...aboutPlan(plan), reason: 'SecondPersonNeeded', remedy: refusal.remedy });
  }

  /** Who may not make the change may not have it made. */
  private async requireRight(plan: Plan, context: CallContext): Promise<void> {
    const { namespace = '' } = plan.metadata;
    const { name } = plan.spec.clusterRef;
    const cluster = await this.ports.clusters.find(name, namespace);
    const { group, version, plural: resource } = CLUSTER;
    const verb = verbOf(plan, cluster);
    await this.ports.authorize(context.caller, { verb, group, version, resource, namespace, name });
    await new WishedWrite(this.ports.api, withoutConsequences(context)).run(plan, cluster, { dryRun: true });
  }
}

/** What the plan does to the cluster; whoever may change one may do so in any way. */
function verbOf({ spec: { destroy, changes } }: Plan, cluster: Cluster | undefined): Verb {
  if (destroy) return 'delete';
  return cluster || changes ? 'patch' : 'create';
}

/** A key belongs to anybody: whoever planned may hold the one that approves, and the other way round. */
function againstApprover(
  planner: string,
  caller: Caller,
): { readonly why: string; readonly remedy: string } | undefined {
  if (!isPerson(caller)) return { why: ', and an API key is none', remedy: 'Have a person approve the plan' };
  if (isApiKey({ user: planner })) {
    return { why: '; this one was made with an API key', remedy: 'Make the plan yourself, and ask somebody else' };
  }
  return planner === caller.user ? { why: '', remedy: 'Ask somebody else' } : undefined;
}

/** The planner may have put another plan in the place of the one that was read. */
function requireSame(plan: Plan, { uid = plan.metadata.uid }: { readonly uid?: string | undefined }): void {
  if (plan.metadata.uid === uid) return;
  const message = `Plan "${plan.metadata.name}" is another one than the one with uid ${uid}`;
  throw conflict(message, { ...aboutPlan(plan), reason: 'AnotherPlan', remedy: 'Read it again before you approve it' });
}

function notReady(plan: Plan, phase: string): Error {
  const { name } = plan.metadata;
  const message = `Plan "${name}" cannot be approved: it is ${phase}`;
  const remedy = phase === 'Pending' ? 'Wait until it is Ready' : 'Make another plan';
  return conflict(message, { ...aboutPlan(plan), reason: 'PlanNotReady', remedy });
}

function aboutPlan({ metadata }: Plan): { readonly group: string; readonly kind: string; readonly name: string } {
  return { group: PLAN.group, kind: PLAN.plural, name: metadata.name };
}
