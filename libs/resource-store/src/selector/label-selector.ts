import { badRequest } from '@crate/errors';

/** One condition on a label; all conditions of a selector must hold. `NotIn` also holds when the label is absent. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  /** Empty for Exists and DoesNotExist. */
  readonly values: readonly string[];
}

const PREFIX = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const NAME = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
/** Groups: `!`, key, comparison and its value, set operator and its values. */
const REQUIREMENT = /^(!?)\s*([^\s=!(),]+)(?:\s*(==|=|!=)\s*([^\s=!(),]*)|\s+(in|notin)\s*\(([^()]*)\))?$/;
const EXPECTED = 'want key=value, key!=value, key in (a,b), key notin (a,b), key or !key, separated by commas';

/** Parses Kubernetes' label selector syntax; absent or empty selects all. Throws BadRequest that says what was expected. */
export function parseLabelSelector(text: string | undefined): readonly LabelRequirement[] {
  if (text === undefined || text.trim() === '') return [];
  return splitOutsideParentheses(text).map((part) => parseRequirement(part.trim(), text));
}

/** Whether an object with these labels is selected. */
export function matchesLabels(
  requirements: readonly LabelRequirement[],
  labels: Readonly<Record<string, string>> = {},
): boolean {
  return requirements.every(({ key, operator, values }) => {
    const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
    switch (operator) {
      case 'In':
        return value !== undefined && values.includes(value);
      case 'NotIn':
        return value === undefined || !values.includes(value);
      case 'Exists':
        return value !== undefined;
      case 'DoesNotExist':
        return value === undefined;
    }
  });
}

function parseRequirement(part: string, text: string): LabelRequirement {
  const [, bang, key = '', comparison, value = '', setOperator, list = ''] = REQUIREMENT.exec(part) ?? [];
  const values = setOperator === undefined ? [value] : list.split(',').map((item) => item.trim());
  const operator = operatorOf(bang, comparison ?? setOperator);
  if (!operator) throw badRequest(`Invalid label selector "${text}" at "${part}": ${EXPECTED}`);
  checkKey(key, text);
  if (operator === 'Exists' || operator === 'DoesNotExist') return { key, operator, values: [] };
  for (const item of values) checkValue(item, text);
  return { key, operator, values };
}

/** Undefined when `part` did not parse, or says both that the label is absent and what it is. */
function operatorOf(bang: string | undefined, operator: string | undefined): LabelRequirement['operator'] | undefined {
  if (bang === undefined) return undefined;
  if (operator === undefined) return bang === '!' ? 'DoesNotExist' : 'Exists';
  if (bang === '!') return undefined;
  return operator === '!=' || operator === 'notin' ? 'NotIn' : 'In';
}

function checkKey(key: string, text: string): void {
  const slash = key.indexOf('/');
  const prefix = slash < 0 ? undefined : key.slice(0, slash);
  const hasGoodPrefix = prefix === undefined || (prefix.length <= 253 && PREFIX.test(prefix));
  if (hasGoodPrefix && NAME.test(key.slice(slash + 1))) return;
  throw badRequest(
    `Invalid label selector "${text}": "${key}" is no label key, want an optional DNS prefix and /, then at most 63 of [A-Za-z0-9-_.]`,
  );
}

function checkValue(value: string, text: string): void {
  if (value === '' || NAME.test(value)) return;
  throw badRequest(`Invalid label selector "${text}": "${value}" is no label value, want at most 63 of [A-Za-z0-9-_.]`);
}

/** In one pass: a pattern that looks ahead for the parenthesis does so from each comma. */
function splitOutsideParentheses(text: string): readonly string[] {
  const parts: string[] = [];
  let begin = 0;
  let isInside = false;
  for (const { 0: found, index } of text.matchAll(/[(),]/g)) {
    if (found !== ',') isInside = found === '(';
    else if (!isInside) {
      parts.push(text.slice(begin, index));
      begin = index + 1;
    }
  }
  return [...parts, text.slice(begin)];
}
