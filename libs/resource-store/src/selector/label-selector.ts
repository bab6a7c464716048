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
  const absent = /^!\s*([^\s=!(),]+)$/.exec(part);
  if (absent?.[1]) return { key: checkedKey(absent[1], text), operator: 'DoesNotExist', values: [] };
  const present = /^([^\s=!(),]+)$/.exec(part);
  if (present?.[1]) return { key: checkedKey(present[1], text), operator: 'Exists', values: [] };
  const equality = /^([^\s=!(),]+)\s*(==|=|!=)\s*([^\s=!(),]*)$/.exec(part);
  if (equality?.[1]) {
    const operator = equality[2] === '!=' ? 'NotIn' : 'In';
    return { key: checkedKey(equality[1], text), operator, values: [checkedValue(equality[3] ?? '', text)] };
  }
  const set = /^([^\s=!(),]+)\s+(in|notin)\s*\(([^()]*)\)$/.exec(part);
  if (set?.[1]) {
    const values = (set[3] ?? '').split(',').map((value) => checkedValue(value.trim(), text));
    return { key: checkedKey(set[1], text), operator: set[2] === 'in' ? 'In' : 'NotIn', values };
  }
  throw badRequest(`Invalid label selector "${text}" at "${part}": ${EXPECTED}`);
}

function checkedKey(key: string, text: string): string {
  const slash = key.indexOf('/');
  const prefix = slash < 0 ? undefined : key.slice(0, slash);
  const hasGoodPrefix = prefix === undefined || (prefix.length <= 253 && PREFIX.test(prefix));
  if (hasGoodPrefix && NAME.test(key.slice(slash + 1))) return key;
  throw badRequest(
    `Invalid label selector "${text}": "${key}" is no label key, want an optional DNS prefix and /, then at most 63 of [A-Za-z0-9-_.]`,
  );
}

function checkedValue(value: string, text: string): string {
  if (value === '' || NAME.test(value)) return value;
  throw badRequest(`Invalid label selector "${text}": "${value}" is no label value, want at most 63 of [A-Za-z0-9-_.]`);
}

function splitOutsideParentheses(text: string): readonly string[] {
  return text.split(/,(?![^()]*\))/);
}
