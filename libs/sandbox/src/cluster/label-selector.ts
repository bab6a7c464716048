import type { LabelRequirement, LabelSelector } from './kinds/fields.js';

type Labels = Readonly<Record<string, string>>;

/** True when the labels satisfy every part of the selector; an absent selector matches nothing, an empty one everything. */
export function matchesSelector(selector: LabelSelector | undefined, labels: Labels = {}): boolean {
  if (!selector) return false;
  return (
    Object.entries(selector.matchLabels ?? {}).every(([key, value]) => labels[key] === value) &&
    (selector.matchExpressions ?? []).every((requirement) => meets(requirement, labels))
  );
}

/** One requirement of a selector, also of node affinity with its numeric operators. */
export function meets({ key, operator, values = [] }: LabelRequirement, labels: Labels): boolean {
  // A name such as `constructor` is a label only when somebody gave it.
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
    case 'Gt':
      return Number(value) > Number(values[0]);
    case 'Lt':
      return Number(value) < Number(values[0]);
  }
}

/** The selector in the form clients send and `kubectl get -o wide` shows. */
export function formatSelector(selector: LabelSelector | undefined): string {
  if (!selector) return '<none>';
  const equal = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
  const rest = (selector.matchExpressions ?? []).map(formatRequirement);
  return [...equal, ...rest].sort().join(',') || '<none>';
}

function formatRequirement({ key, operator, values = [] }: LabelRequirement): string {
  if (operator === 'Exists') return key;
  if (operator === 'DoesNotExist') return `!${key}`;
  if (operator === 'Gt' || operator === 'Lt') return `${key}${operator === 'Gt' ? '>' : '<'}${values.join()}`;
  return `${key} ${operator === 'In' ? 'in' : 'notin'} (${[...values].sort().join(',')})`;
}
