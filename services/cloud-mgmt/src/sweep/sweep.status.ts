import {
  conditionFalse,
  conditionMessage,
  conditionTrue,
  conditionUnknown,
  mergeConditions,
  type CloudAccount,
  type ConditionFact,
  type SweepFinding,
  type SweepReport,
  type SweepStatus,
} from '@crate/api';
import { toPlatformError } from '@crate/errors';
import { nameSome } from '@crate/reconcile';
import type { RemovalHold } from './sweep-brake.js';
import { resourceKey, type UnansweredPlace } from './sweep-world.js';

/** Says whether anything carries Crate's tags and belongs to nobody. */
export const ORPHANED_RESOURCES = 'OrphanedResources';
/** So many are in a status; the rest is counted. */
const MOST_FINDINGS = 50;

/** What a pass came to. */
export interface SweepFacts {
  readonly regions: readonly string[];
  readonly unanswered: readonly UnansweredPlace[];
  readonly findings: readonly SweepFinding[];
  /** Of before, where nobody answered. */
  readonly kept: readonly SweepFinding[];
  /** Those of them whose owners are asked to look after them. */
  readonly asked: readonly SweepFinding[];
  readonly held: RemovalHold | undefined;
  /** Why the removal of what is to be removed did not work. */
  readonly failure?: unknown;
}

type AccountStatus = NonNullable<CloudAccount['status']>;

/** The account's status after a sweep; everything else in it stays. Pure. */
export function sweptStatus({ metadata, status }: CloudAccount, facts: SweepFacts, now: Date): AccountStatus {
  const asked = new Map(facts.asked.map((finding) => [resourceKey(finding), finding]));
  const seen = facts.findings.map((finding) => asked.get(resourceKey(finding)) ?? finding);
  const findings = [...seen, ...facts.kept];
  const sweep: SweepStatus = { regions: [...facts.regions], ...bounded(findings) };
  return { ...status, conditions: withFact(status, orphaned(facts), { generation: metadata.generation, now }), sweep };
}

/** The account's status when it could not be looked at: what was found before stays on show. Pure. */
export function unsweptStatus({ metadata, status }: CloudAccount, error: unknown, now: Date): AccountStatus {
  const { message } = toPlatformError(error);
  return { ...status, conditions: withFact(status, unknown(message), { generation: metadata.generation, now }) };
}

/** What is put into an answer or a status: those to be acted upon first, for only what is in the status is ever acted upon. */
export function bounded(findings: readonly SweepFinding[]): Pick<SweepReport, 'findings' | 'omitted'> {
  const urgent = findings.filter(({ decision }) => decision !== 'report');
  const rest = findings.filter(({ decision }) => decision === 'report');
  const shown = [...urgent, ...rest].slice(0, MOST_FINDINGS);
  return { findings: shown, omitted: findings.length - shown.length };
}

function orphaned(facts: SweepFacts): ConditionFact {
  const { findings, kept, held, failure, unanswered } = facts;
  const all = [...findings, ...kept];
  const silent = unanswered.map(unansweredText).join('; ');
  if (all.length === 0 && silent !== '') return unknown(`Nothing found where somebody answered. ${silent}`);
  if (all.length === 0) return conditionFalse(ORPHANED_RESOURCES, 'NoneFound', '');
  const found = (reason: string, message: string): ConditionFact =>
    conditionTrue(ORPHANED_RESOURCES, reason, line(silent === '' ? message : `${message}. ${silent}`));
  if (failure !== undefined) {
    return found('RemovalFailed', `Removing what is abandoned failed: ${toPlatformError(failure).message}`);
  }
  if (held !== undefined) return found(held.reason, held.message);
  const named = nameSome(all.map(({ type, id }) => `${type} ${id}`));
  const count = all.length === 1 ? '1 resource belongs' : `${all.length} resources belong`;
  return found('Found', `${count} to nobody, see status.sweep: ${named}`);
}

/** Where nobody answered and why, for people. */
export function unansweredText({ place, message }: UnansweredPlace): string {
  return `Not looked at: ${place} (${message.replace(/\.$/, '')})`;
}

function unknown(message: string): ConditionFact {
  return conditionUnknown(ORPHANED_RESOURCES, 'ListingFailed', line(message));
}

function line(message: string): string {
  return conditionMessage(message).replace(/\.$/, '');
}

function withFact(
  status: CloudAccount['status'],
  fact: ConditionFact,
  options: { readonly generation: number; readonly now: Date },
): AccountStatus['conditions'] {
  const others = (status?.conditions ?? []).filter(({ type }) => type !== fact.type);
  return [...others, ...mergeConditions(status?.conditions, [fact], options)];
}
