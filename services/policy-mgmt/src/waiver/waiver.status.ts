import {
  conditionFalse,
  conditionMessage,
  conditionTrue,
  mergeConditions,
  type ConditionFact,
  type Policy,
  type PolicyWaiver,
  type PolicyWaiverStatus,
} from '@crate/api';
import { durationText } from '@crate/config';
import { coveredRules } from './waiver.coverage.js';
import { approvalOf, factsOf, isPerson, stateOf, type WaiverFacts, type WaiverState } from './waiver.facts.js';
import { noticeDue } from './waiver.times.js';

/** Rules that the status names; the rest is a number. */
const NAMED = 20;

export interface WaiverStatusContext {
  /** All rules there are. */
  readonly policies: readonly Policy[];
  /** How long before the end notice is given. */
  readonly noticesMs: readonly number[];
  readonly now: Date;
}

/** What a person reads about a waiver. Pure; reviews do not go by it. */
export function waiverStatus(waiver: PolicyWaiver, context: WaiverStatusContext): PolicyWaiverStatus {
  const { now, noticesMs, policies } = context;
  const { generation, creationTimestamp } = waiver.metadata;
  const facts = factsOf(waiver);
  const approved = approvalOf(facts);
  const state = stateOf(facts, now.getTime());
  const covered = coveredRules(waiver.spec, policies, approved?.authority ?? 'PlatformAdmin');
  const noticeMs = state === 'InForce' ? noticeDue(facts.expiresAtMs, noticesMs, now.getTime()) : undefined;
  const notice = noticeMs === undefined ? undefined : durationText(noticeMs);
  const conditions = [
    readiness(facts, state, covered.length),
    conditionTrue('Synced', 'Ready'),
    approval(facts),
    state === 'Expired' ? conditionTrue('Expired', 'Expired') : conditionFalse('Expired', 'InTime', ''),
    notice === undefined
      ? conditionFalse('ExpiresSoon', 'InTime', '')
      : conditionTrue('ExpiresSoon', 'ExpiresSoon', `Within ${notice}`),
  ];
  return {
    observedGeneration: generation,
    conditions: mergeConditions(waiver.status?.conditions, conditions, { generation, now }),
    requestedBy: facts.requestedBy,
    requestedAt: creationTimestamp,
    ...(facts.approvals.length > 0 ? { approvals: [...facts.approvals] } : {}),
    ...(approved ? { approvedBy: approved.by, approvedAt: approved.at } : {}),
    ...(facts.revoked ? { revoked: facts.revoked } : {}),
    covers: { count: covered.length, policies: covered.slice(0, NAMED) },
    ...(notice === undefined ? {} : { notice }),
  };
}

/** Reasons: the states, and `CoversNothing` when there is no rule any more that it is about. */
function readiness(facts: WaiverFacts, state: WaiverState, rules: number): ConditionFact {
  const message = conditionMessage(messageOf(facts, state));
  if (state !== 'InForce') return conditionFalse('Ready', state, message);
  if (rules > 0) return conditionTrue('Ready', 'InForce', message);
  return conditionFalse(
    'Ready',
    'CoversNothing',
    'There is no Policy that it names and that those who approved may waive',
  );
}

function messageOf(facts: WaiverFacts, state: WaiverState): string {
  switch (state) {
    case 'Revoked':
      return `Revoked by ${facts.revoked?.by ?? 'nobody'}`;
    case 'Expired':
      return approvalOf(facts) ? 'What it covered counts as violated again' : 'Nobody approved it in time';
    case 'InForce':
      return `Approved by ${approvalOf(facts)?.by ?? 'nobody'}`;
    case 'WaitingForApproval':
      return `${waitsFor(facts)} has to approve it`;
  }
}

function waitsFor({ requestedBy, approvals }: WaiverFacts): string {
  if (isPerson({ user: requestedBy })) return `Another person than ${requestedBy}`;
  const [first] = approvals;
  return first ? `One more person beside ${first.by}` : 'A machine asked, so each of two people';
}

function approval(facts: WaiverFacts): ConditionFact {
  const approved = approvalOf(facts);
  if (approved) return conditionTrue('Approved', 'Approved', conditionMessage(`By ${approved.by}`));
  return conditionFalse('Approved', 'NotApproved', conditionMessage(`${waitsFor(facts)} has not approved it`));
}
