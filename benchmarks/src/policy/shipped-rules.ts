import { fileURLToPath } from 'node:url';
import type { PolicySpec, PolicyStage } from '@crate/api';
import { aRule, readPacks, type CataloguedPolicy } from '@crate/policy-engine';

const PACKS = fileURLToPath(new URL('../../../services/policy-mgmt/packs', import.meta.url));

/** A rule that is not compiled yet. */
export interface NamedRule {
  readonly name: string;
  readonly spec: PolicySpec;
}

/** The rules of one stage that policy-mgmt brings along. */
export async function shippedRules(stage: PolicyStage): Promise<readonly NamedRule[]> {
  const packed = await readPacks(PACKS);
  return packed.filter(({ spec }) => spec.match.stages.includes(stage)).map(({ name, spec }) => ({ name, spec }));
}

/** So many rules: these, again and again under other names and with params of their own. */
export function repeated(rules: readonly NamedRule[], count: number): readonly NamedRule[] {
  return Array.from({ length: count }, (_, index) => {
    const rule = rules[index % rules.length];
    if (!rule) throw new Error('There is no rule to repeat');
    const copy = Math.floor(index / rules.length);
    if (copy === 0) return rule;
    return { name: `${rule.name}-${copy}`, spec: { ...rule.spec, params: { ...rule.spec.params, copy } } };
  });
}

/** Compiled as policy-mgmt keeps them. */
export function compiled(rules: readonly NamedRule[]): readonly CataloguedPolicy[] {
  return rules.map(({ name, spec }) => aRule(name, spec));
}
