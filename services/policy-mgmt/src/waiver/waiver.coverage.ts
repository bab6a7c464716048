import type { Policy, PolicyWaiverSpec } from '@crate/api';
import { fits, mayWaive, type WaiverAuthority } from '@crate/policy-engine';

/** What one entry of `spec.policies` means. */
export interface PatternCoverage {
  readonly pattern: string;
  readonly isFamily: boolean;
  /** Names of the rules that somebody may have waived. */
  readonly waivable: readonly string[];
  /** Names of those that nobody may. */
  readonly firm: readonly string[];
}

/** What each entry of `spec.policies` means by the rules there are. */
export function coverageOf({ policies }: PolicyWaiverSpec, rules: readonly Policy[]): readonly PatternCoverage[] {
  return policies.map((pattern) => {
    const named = rules.filter(({ metadata }) => fits(pattern, metadata.name));
    const isFirm = ({ spec }: Policy): boolean => spec.waivableBy === 'Nobody';
    return {
      pattern,
      isFamily: pattern.includes('*'),
      waivable: named.filter((rule) => !isFirm(rule)).map(nameOf),
      firm: named.filter(isFirm).map(nameOf),
    };
  });
}

/** Names of the rules that a waiver covers when somebody with this authority has approved it, in order. */
export function coveredRules(
  { policies }: PolicyWaiverSpec,
  rules: readonly Policy[],
  authority: WaiverAuthority,
): readonly string[] {
  return rules
    .filter(({ metadata }) => policies.some((pattern) => fits(pattern, metadata.name)))
    .filter(({ spec }) => mayWaive(authority, spec.waivableBy))
    .map(nameOf)
    .sort();
}

function nameOf({ metadata }: Policy): string {
  return metadata.name;
}
