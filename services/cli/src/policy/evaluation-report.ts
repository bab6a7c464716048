import type { PolicyViolation } from '@crate/api';
import type { RuleExplanation } from '@crate/policy-engine';
import type { EvaluatedDocument } from './evaluation.js';

const WORDS: Readonly<Record<PolicyViolation['effect'], string>> = {
  deny: 'DENY',
  warn: 'WARN',
  inform: 'INFO',
  record: 'NOTE',
};

const ORDER = Object.keys(WORDS);

/** What a person reads of a document: rules that object, and, where `isWhole`, all others too. */
export function evaluationLines(evaluated: EvaluatedDocument, isWhole: boolean): readonly string[] {
  const { source, stage, project, name, allowed, mistakes, rules } = evaluated;
  const objecting = rules.filter(({ violations }) => violations.length > 0).toSorted(byEffect);
  const others = isWhole ? rules.filter(({ violations }) => violations.length === 0) : [];
  return [
    `${source}: ${stage} "${project}/${name}" ${allowed ? 'is allowed' : 'would be denied'}`,
    ...mistakes.map((mistake) => `  The API would refuse it: ${mistake}`),
    ...objecting.flatMap(objectionLines),
    ...others.flatMap(otherLines),
    `  ${countsOf(rules)}`,
  ];
}

function objectionLines({ policy, level, enforcement, violations, reasons }: RuleExplanation): readonly string[] {
  const [first] = violations;
  if (!first) return [];
  const acts = enforcement === 'enforce' ? level : `${level}, ${enforcement}`;
  const waived = first.waiver === undefined ? '' : ` waived by "${first.waiver}"`;
  return [
    `  ${WORDS[first.effect]}  ${policy} (${acts})${waived}`,
    ...violations.map(({ field, message }) => `        ${field}: ${message}`),
    ...reasonLines(reasons),
    `        remedy: ${first.remedy}`,
  ];
}

function reasonLines(reasons: RuleExplanation['reasons']): readonly string[] {
  return reasons.flatMap(({ place, expression, values }) => [
    `        ${place}: ${expression.trim().replace(/\s+/g, ' ')}`,
    ...values.map(({ source, shown }) => `          ${source} = ${shown}`),
  ]);
}

function otherLines({ result, policy, level, mismatches, reasons }: RuleExplanation): readonly string[] {
  if (result === 'pass') return [`  PASS  ${policy} (${level})`];
  if (result === 'skip') return [`  SKIP  ${policy} (${level})`, ...reasonLines(reasons)];
  return [`  ----  ${policy} (${level})`, ...mismatches.map((mismatch) => `        ${mismatch}`)];
}

function countsOf(rules: readonly RuleExplanation[]): string {
  const count = (result: RuleExplanation['result']): number => rules.filter((rule) => rule.result === result).length;
  const told = [
    `${rules.length} rule${rules.length === 1 ? '' : 's'}: ${count('pass')} pass`,
    `${count('fail')} fail`,
    `${count('error')} cannot be evaluated`,
  ];
  return [...told, `${count('skip')} skipped`, `${count('unmatched')} not asked`].join(', ');
}

function byEffect(left: RuleExplanation, right: RuleExplanation): number {
  return rankOf(left) - rankOf(right) || (left.policy < right.policy ? -1 : 1);
}

function rankOf({ violations }: RuleExplanation): number {
  return Math.min(...violations.map(({ effect }) => ORDER.indexOf(effect)));
}
