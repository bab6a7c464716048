import { isJsonObject } from '@crate/api';
import { jsonEqual } from '../apply/json.js';

type Step =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'all' }
  | { readonly kind: 'filter'; readonly path: readonly string[]; readonly isEqual: boolean; readonly value: unknown };

const FIELD = /^\.?((?:\\.|[^.[\]\\])+)/;
const BRACKET = /^\[(?:'([^']*)'|"([^"]*)"|(-?\d+)|(\*))\]/;
const FILTER = /^\[\?\(\s*@\.([\w.-]+)\s*(==|!=)\s*("[^"]*"|'[^']*'|true|false|-?[\d.]+)\s*\)\]/;

/**
 * The values at a JSON path as printer columns have it: fields (`.a.b`, `.a\.b`, `['a']`), indices, `[*]` and
 * `[?(@.type=="Ready")]`. None when the path is malformed or leads nowhere.
 */
export function findByPath(document: unknown, path: string): readonly unknown[] {
  const steps = parse(path);
  return steps
    ? steps.reduce<readonly unknown[]>((values, step) => values.flatMap((value) => take(value, step)), [document])
    : [];
}

function parse(path: string): readonly Step[] | undefined {
  const steps: Step[] = [];
  let rest = path.replace(/^\{(.*)\}$/, '$1').replace(/^\$/, '');
  while (rest !== '' && rest !== '.') {
    const [step, length] = nextStep(rest) ?? [];
    if (!step || !length) return undefined;
    steps.push(step);
    rest = rest.slice(length);
  }
  return steps;
}

function nextStep(rest: string): readonly [Step, number] | undefined {
  const bracket = BRACKET.exec(rest);
  if (bracket) return [bracketStep(bracket), bracket[0].length];
  const filter = FILTER.exec(rest);
  if (filter) return [filterStep(filter), filter[0].length];
  const field = FIELD.exec(rest);
  if (!field?.[1]) return undefined;
  const name = field[1].replaceAll(/\\(.)/g, '$1');
  return [name === '*' ? { kind: 'all' } : { kind: 'field', name }, field[0].length];
}

function bracketStep([, single, double, index, all]: RegExpExecArray): Step {
  if (all !== undefined) return { kind: 'all' };
  if (index !== undefined) return { kind: 'index', index: Number(index) };
  return { kind: 'field', name: single ?? double ?? '' };
}

function filterStep([, path = '', operator, literal = '']: RegExpExecArray): Step {
  const value = literal.startsWith("'") ? literal.slice(1, -1) : (JSON.parse(literal) as unknown);
  return { kind: 'filter', path: path.split('.'), isEqual: operator === '==', value };
}

function take(value: unknown, step: Step): readonly unknown[] {
  switch (step.kind) {
    case 'field':
      return isJsonObject(value) && Object.hasOwn(value, step.name) ? [value[step.name]] : [];
    case 'index':
      return Array.isArray(value) ? present(value.at(step.index)) : [];
    case 'all':
      return members(value);
    case 'filter':
      return members(value).filter((member) => jsonEqual(at(member, step.path), step.value) === step.isEqual);
  }
}

function members(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isJsonObject(value) ? Object.values(value) : [];
}

function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, name) => (isJsonObject(inner) ? inner[name] : undefined), value);
}

function present(value: unknown): readonly unknown[] {
  return value === undefined ? [] : [value];
}
