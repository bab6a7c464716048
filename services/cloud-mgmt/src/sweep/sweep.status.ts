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
import { resourceKey } from './sweep-world.js';

/** Says whether anything carries Crate's tags and belongs to nobody. */
export const ORPHANED_RESOURCES = 'OrphanedResources';
/** So many are in a status; the rest is counted. */
const MOST_FINDINGS = 50;

/** What a pass came to. */
export interface SweepFacts {
  readonly regions: readonly string[];
  readonly findings: readonly SweepFinding[];
  /** Those of them whose owners are asked to look after them. */
  readonly asked: readonly SweepFinding[];
  readonly held: string | undefined;
  /** Why the removal of what is to be removed did not work. */
  readonly failure?: unknown;
}

type AccountStatus = NonNullable<CloudAccount['status']>;

/** The account's status after a sweep; everything else in it stays. Pure. */
export function sweptStatus({ metadata, status }: CloudAccount, facts: SweepFacts, now: Date): AccountStatus {
  const asked = new Map(facts.asked.map((finding) => [resourceKey(finding), finding]));
  const findings = facts.findings.map((finding) => asked.get(resourceKey(finding)) ?? finding);
  const sweep: SweepStatus = { regions: [...facts.regions], ...bounded(findings) };
  return { ...status, conditions: withFact(status, orphaned(facts), { generation: metadata.generation, now }), sweep };
}

/** The account's status when it could not be looked at: what was found before stays on show. Pure. */
export function unsweptStatus({ metadata, status }: CloudAccount, error: unknown, now: Date): AccountStatus {
  const { message } = toPlatformError(error);
  const fact = conditionUnknown(ORPHANED_RESOURCES, 'ListingFailed', conditionMessage(message).replace(/\.$/, ''));
  return { ...status, conditions: withFact(status, fact, { generation: metadata.generation, now }) };
}

/** What is put into an answer or a status: those to be acted upon first, for only what is in the status is ever acted upon. */
export function bounded(findings: readonly SweepFinding[]): Pick<SweepReport, 'findings' | 'omitted'> {
  const urgent = findings.filter(({ decision }) => decision !== 'report');
  const rest = findings.filter(({ decision }) => decision === 'report');
  const shown = [...urgent, ...rest].slice(0, MOST_FINDINGS);
  return { findings: shown, omitted: findings.length - shown.length };
}

function orphaned({ findings, held, failure }: SweepFacts): ConditionFact {
  if (findings.length === 0) return conditionFalse(ORPHANED_RESOURCES, 'NoneFound', '');
  if (failure !== undefined) {
    const message = `Removing what is abandoned failed: ${toPlatformError(failure).message}`;
    return conditionTrue(ORPHANED_RESOURCES, 'RemovalFailed', conditionMessage(message).replace(/\.$/, ''));
  }
  if (held !== undefined) return conditionTrue(ORPHANED_RESOURCES, 'RemovalHeld', conditionMessage(held));
  const named = nameSome(findings.map(({ type, id }) => `${type} ${id}`));
  const count = findings.length === 1 ? '1 resource belongs' : `${findings.length} resources belong`;
  return conditionTrue(ORPHANED_RESOURCES, 'Found', conditionMessage(`${count} to nobody, see status.sweep: ${named}`));
}

function withFact(
  status: CloudAccount['status'],
  fact: ConditionFact,
  options: { readonly generation: number; readonly now: Date },
): AccountStatus['conditions'] {
  const others = (status?.conditions ?? []).filter(({ type }) => type !== fact.type);
  return [...others, ...mergeConditions(status?.conditions, [fact], options)];
}
