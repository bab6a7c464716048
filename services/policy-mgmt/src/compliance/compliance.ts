import type { PolicyReportOutcome } from '@crate/api';
import { addCounts, NO_COUNTS, statusOf, type Counts } from '../report/assessment.js';
import type { RulesByName } from '../report/report-body.js';
import { controlOf } from './framework.js';

/** How a rule stands. */
export interface RuleStanding {
  readonly policy: string;
  readonly title: string;
  readonly status: PolicyReportOutcome;
  /** Documents, by what the rule came to with them. */
  readonly documents: Counts;
}

/** How a control stands: as the worst of its rules does. */
export interface ControlStanding {
  readonly control: string;
  readonly status: PolicyReportOutcome;
  readonly rules: readonly RuleStanding[];
}

/** How a framework stands, as far as rules look at it: what no rule refers to is not in it. */
export interface FrameworkStanding {
  readonly framework: string;
  /** Controls, by how they stand. */
  readonly controls: Counts;
  readonly details: readonly ControlStanding[];
}

/** What of several clusters each rule came to, taken together. */
export function together(clusters: readonly ReadonlyMap<string, Counts>[]): ReadonlyMap<string, Counts> {
  const sum = new Map<string, Counts>();
  for (const rules of clusters) {
    for (const [policy, counts] of rules) sum.set(policy, addCounts(sum.get(policy) ?? NO_COUNTS, counts));
  }
  return sum;
}

/** Controls of each framework that rules refer to; a rule that refers to several counts with each. Pure. */
export function complianceOf(judged: ReadonlyMap<string, Counts>, rules: RulesByName): readonly FrameworkStanding[] {
  const frameworks = new Map<string, Map<string, RuleStanding[]>>();
  for (const [policy, documents] of judged) {
    const spec = rules.get(policy)?.policy.spec;
    const standing = { policy, title: spec?.title ?? policy, status: statusOf(documents), documents };
    for (const reference of new Set(spec?.references ?? [])) {
      const place = controlOf(reference);
      if (!place) continue;
      const controls = frameworks.get(place.framework) ?? new Map<string, RuleStanding[]>();
      frameworks.set(place.framework, controls);
      controls.set(place.control, [...(controls.get(place.control) ?? []), standing]);
    }
  }
  return [...frameworks].sort(byName).map(([framework, controls]) => frameworkOf(framework, controls));
}

/** Rules by how they stand. */
export function rulesByStatus(judged: ReadonlyMap<string, Counts>): Counts {
  return countsBy([...judged.values()].map(statusOf));
}

function frameworkOf(framework: string, controls: ReadonlyMap<string, readonly RuleStanding[]>): FrameworkStanding {
  const details = [...controls].sort(byName).map(([control, rules]) => {
    const one = rules.reduce((sum, { documents }) => addCounts(sum, documents), NO_COUNTS);
    return { control, status: statusOf(one), rules };
  });
  return { framework, controls: countsBy(details.map(({ status }) => status)), details };
}

function countsBy(outcomes: readonly PolicyReportOutcome[]): Counts {
  const counts = { ...NO_COUNTS };
  for (const outcome of outcomes) counts[outcome] += 1;
  return counts;
}

/** 5.2 comes before 5.10. One for all: making it costs far more than a comparison. */
const names = new Intl.Collator('en', { numeric: true });

function byName([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number {
  return names.compare(left, right);
}
