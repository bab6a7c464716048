import { createHash } from 'node:crypto';
import { POLICY_STAGES, type PolicyStage } from '@crate/api';
import type { ActiveWaiver, CataloguedPolicy, RulesInForce } from '@crate/policy-engine';

/** Rules and waivers as they are now. */
export interface RuleSource {
  /** Resolves when what was stored before is in. Throws Unavailable. */
  ensureFresh(): Promise<void>;
  inForce(stage: PolicyStage, namespace: string): RulesInForce;
}

/** What the documents of a Project are judged by, held while they are: all of them by the same. */
export interface RulesOfProject {
  readonly byStage: Readonly<Record<PolicyStage, RulesInForce>>;
  /** Differs whenever a rule or a waiver does, or a waiver expires. */
  readonly digest: string;
  /** When the next waiver expires, in milliseconds since 1970. */
  readonly nextExpiryMs: number | undefined;
}

export function rulesOfProject(source: RuleSource, namespace: string, nowMs: number): RulesOfProject {
  const entries = POLICY_STAGES.map((stage) => [stage, source.inForce(stage, namespace)] as const);
  const waivers = entries[0]?.[1].waivers ?? [];
  const expiries = waivers.map(({ expiresAtMs }) => expiresAtMs).filter((atMs) => atMs > nowMs);
  return {
    byStage: Object.fromEntries(entries) as Record<PolicyStage, RulesInForce>,
    digest: digestOf(
      entries.flatMap(([, { policies }]) => policies),
      waivers,
      nowMs,
    ),
    nextExpiryMs: expiries.length === 0 ? undefined : Math.min(...expiries),
  };
}

/** Each rule once, by name. */
export function rulesByName(source: RuleSource, namespace: string): ReadonlyMap<string, CataloguedPolicy> {
  const rules = POLICY_STAGES.flatMap((stage) => source.inForce(stage, namespace).policies);
  const sorted = rules.map((rule) => [rule.policy.metadata.name, rule] as const).sort(byName);
  return new Map(sorted);
}

function digestOf(policies: readonly CataloguedPolicy[], waivers: readonly ActiveWaiver[], nowMs: number): string {
  const rules = policies.map(({ policy: { metadata } }) => [metadata.name, metadata.uid, metadata.generation] as const);
  const each = new Map(rules.map((rule) => [rule[0], rule]));
  const ended = waivers.map((waiver) => ({ ...waiver, isOver: waiver.expiresAtMs <= nowMs }));
  const content = [[...each.values()].sort(byName), ended.sort((left, right) => (left.name < right.name ? -1 : 1))];
  return createHash('sha256').update(JSON.stringify(content)).digest('hex');
}

function byName(left: readonly [string, ...unknown[]], right: readonly [string, ...unknown[]]): number {
  return left[0] < right[0] ? -1 : 1;
}
