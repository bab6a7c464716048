import { isWithin, toTimestamp, type ApprovedPlanStatus, type Infrastructure } from '@crate/api';
import { PlatformError } from '@crate/errors';
import type { PlannedAction } from '@crate/terraform';
import type { InfrastructureScope } from '../infrastructure/infrastructure.scope.js';
import type { PlanReading, PlanStep } from './plan-reading.js';

/** Reason of a refusal because the plan is not the one that was approved. */
export const PLAN_OUTDATED = 'PlanOutdated';

/**
 * Refuses a plan with more impact than is allowed (`ImpactAboveCeiling`), also when that cannot be told. Throws Forbidden, tried
 * again now and then: the ceiling may be raised.
 */
export function checkCeiling({ kind, metadata, spec }: Infrastructure, { impact }: PlanReading): void {
  const { maxImpact: ceiling } = spec;
  if (ceiling === undefined || isWithin(impact?.impact, ceiling)) return;
  const found = impact ? `has impact ${impact.impact} (${impact.address})` : 'has an impact that cannot be told';
  throw new PlatformError('Forbidden', `The plan ${found}, spec.maxImpact allows ${ceiling} at most`, {
    retry: 'slow',
    details: {
      kind,
      name: metadata.name,
      reason: 'ImpactAboveCeiling',
      field: 'spec.maxImpact',
      remedy: `Raise spec.maxImpact of the cluster${impact ? ` to ${impact.impact}` : ''}, or take the change back`,
    },
  });
}

/** What a run is for. */
type Purpose = 'apply' | 'destroy';

/** What there is to know of an approval: what is asked for, and what has come of it. */
export type Approval = Pick<
  InfrastructureScope,
  'infrastructure' | 'approvedPlan' | 'approvedStack' | 'stack' | 'settingsHash'
>;

/** What is known of the approved plan that is asked for; undefined before it is begun. Pure. */
export function knownPlan({
  infrastructure: { spec, status },
  approvedPlan,
}: Approval): ApprovedPlanStatus | undefined {
  const [known, asked] = [approvedPlan ?? status?.approvedPlan, spec.approvedPlan];
  return known && known.name === asked?.name && known.digest === asked.digest ? known : undefined;
}

/** Whether an approved plan is still to be carried out by runs of this purpose. Pure. */
export function isPlanOpen(approval: Approval, purpose: Purpose): boolean {
  const { approvedPlan: asked } = approval.infrastructure.spec;
  if (!asked || (asked.destroy ?? false) !== (purpose === 'destroy')) return false;
  return knownPlan(approval)?.executedAt === undefined;
}

/** The approved plan of a change once all of it was done; undefined where there is none. Pure. */
export function executedPlan(approval: Approval, now: Date): ApprovedPlanStatus | undefined {
  const { approvedPlan } = approval.infrastructure.spec;
  const at = toTimestamp(now);
  if (!approvedPlan || approvedPlan.destroy) return undefined;
  return { ...approvedPlan, begunAt: at, resources: [], executedAt: at, ...knownPlan(approval) };
}

const REMEDIES: Readonly<Record<Purpose, string>> = {
  apply: 'Plan the change anew and approve that plan',
  destroy: 'Plan the deletion anew and approve that plan; until then, what is left stays',
};

/** Whether the release has changed the stack since the approved plan was begun, for the same spec and the same settings. Pure. */
function isUpgraded({ infrastructure, approvedStack, stack, settingsHash }: Approval): boolean {
  const { metadata, status } = infrastructure;
  const begunFor = approvedStack ?? status?.approvedStack;
  if (!begunFor || !stack || begunFor.generation !== metadata.generation) return false;
  // An older release did not say for which settings.
  const { hash, settings = settingsHash } = begunFor;
  return hash !== stack.hash && settings === settingsHash;
}

/**
 * Lets pass the plan that was approved, once that has begun what is left of it, and once it was executed every plan. What is left may come
 * with what a newer release brings, as far as nothing notices that. Gives what to remember before anything is done: a killed run must be
 * able to go on. Undefined when there is nothing to remember. Throws Forbidden (`PlanOutdated`).
 */
export function checkApproval(
  approval: Approval,
  { digest, steps, unnoticed }: PlanReading,
  { purpose, now }: { readonly purpose: Purpose; readonly now: Date },
): ApprovedPlanStatus | undefined {
  const { kind, metadata, spec } = approval.infrastructure;
  const { approvedPlan: asked } = spec;
  if (!asked || !isPlanOpen(approval, purpose)) return undefined;
  const begun = knownPlan(approval);
  if (begun) {
    const isBrought = ({ address }: PlanStep): boolean => isUpgraded(approval) && unnoticed.has(address);
    if (steps.every((step) => isLeftOf(begun, step) || isBrought(step))) return undefined;
  } else if (digest === asked.digest) {
    return {
      ...asked,
      begunAt: toTimestamp(now),
      resources: steps.map(({ address }) => address),
      steps: steps.map(stepText),
    };
  }
  const upgraded = isUpgraded(approval) ? ': the platform was upgraded since it was begun' : '';
  const message = begun
    ? `The plan goes beyond what is left of the approved plan "${asked.name}"${upgraded}`
    : `The plan is not the one that was approved as "${asked.name}": the world has moved`;
  throw new PlatformError('Forbidden', message, {
    retry: 'slow',
    details: { kind, name: metadata.name, reason: PLAN_OUTDATED, remedy: REMEDIES[purpose] },
  });
}

/**
 * What each action may be what is left of. What an interrupted create has left is finished by an update, or made anew where it is tainted;
 * of a replacement either half may be left.
 */
const LEFT_OF: Readonly<Record<PlannedAction, readonly PlannedAction[]>> = {
  create: ['create', 'replace'],
  update: ['update', 'create', 'replace'],
  replace: ['replace', 'create'],
  destroy: ['destroy', 'replace'],
  import: ['import'],
  forget: ['forget'],
};

/** Whether a step does no more than the plan that was begun does to the same resource. */
function isLeftOf({ resources, steps }: ApprovedPlanStatus, { address, action }: PlanStep): boolean {
  if (!steps) return resources.includes(address);
  const known = new Set(steps);
  return LEFT_OF[action].some((approved) => known.has(stepText({ address, action: approved })));
}

function stepText({ action, address }: PlanStep): string {
  return `${action} ${address}`;
}

/** Lets pass what `checkApproval` lets pass, the last to look at a plan, and stores what must be known before anything is done. */
export async function beginApproved(scope: InfrastructureScope, plan: PlanReading, purpose: Purpose): Promise<void> {
  const begun = checkApproval(scope, plan, { purpose, now: new Date() });
  scope.stage = 'work';
  if (!begun) return;
  scope.approvedPlan = begun;
  const { infrastructure, stack, settingsHash } = scope;
  const { generation } = infrastructure.metadata;
  const settings = settingsHash === undefined ? {} : { settings: settingsHash };
  if (stack) scope.approvedStack = { generation, hash: stack.hash, ...settings };
  await scope.persist();
}
