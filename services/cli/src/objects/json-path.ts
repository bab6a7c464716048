import { badRequest } from '@crate/errors';

type Step =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'slice'; readonly from: number; readonly to: number | undefined }
  | { readonly kind: 'all' }
  | { readonly kind: 'descent' }
  | { readonly kind: 'filter'; readonly path: readonly Step[]; readonly value?: string };

const FIELD = /^\.?([A-Za-z_][\w-]*)/;
const QUOTED = /^\[(['"])((?:(?!\1).)+)\1\]/;
const INDEX = /^\[(-?\d+)\]/;
const SLICE = /^\[(-?\d*):(-?\d*)\]/;
const ALL = /^(\.\*|\[\*\])/;
/** Only in front of what is looked for: everything there is, by itself, is nobody's wish. */
const DESCENT = /^\.\.(?=[A-Za-z_[])/;
const FILTER = /^\[\?\(@([^=)]*?)(?:\s*==\s*(?:"([^"]*)"|'([^']*)'|([\w.-]+)))?\s*\)\]/;

/**
 * The part of kubectl's JSONPath that names one place: fields, `['key']`, `[0]`, `[0:2]`, `[*]`, `[?(@.type=="Ready")]`, and
 * `..` for any depth.
 * Source: https://kubernetes.io/docs/reference/kubectl/jsonpath/
 */
export class JsonPath {
  private constructor(private readonly steps: readonly Step[]) {}

  /** With or without braces. Throws BadRequest that says where it makes no sense. */
  static parse(text: string): JsonPath {
    const inner = /^\{(.*)\}$/s.exec(text)?.[1] ?? text;
    return new JsonPath(stepsOf(inner.trim().replace(/^[$@]/, ''), text));
  }

  /** Every value at the place, none where it is not there. */
  values(document: unknown): readonly unknown[] {
    return follow([document], this.steps);
  }
}

function stepsOf(text: string, whole: string): readonly Step[] {
  const steps: Step[] = [];
  for (let rest = text; rest !== '' && rest !== '.';) {
    const [step, length] = stepAt(rest, whole);
    steps.push(step);
    rest = rest.slice(length);
  }
  return steps;
}

function stepAt(rest: string, whole: string): readonly [Step, number] {
  const all = ALL.exec(rest);
  if (all) return [{ kind: 'all' }, all[0].length];
  const descent = DESCENT.exec(rest);
  if (descent) return [{ kind: 'descent' }, descent[0].length];
  const field = FIELD.exec(rest);
  if (field?.[1] !== undefined) return [{ kind: 'field', name: field[1] }, field[0].length];
  const quoted = QUOTED.exec(rest);
  if (quoted?.[2] !== undefined) return [{ kind: 'field', name: quoted[2] }, quoted[0].length];
  const index = INDEX.exec(rest);
  if (index) return [{ kind: 'index', index: Number(index[1]) }, index[0].length];
  const slice = SLICE.exec(rest);
  if (slice) return [{ kind: 'slice', from: Number(slice[1]), to: endOf(slice[2]) }, slice[0].length];
  const filter = FILTER.exec(rest);
  if (filter) return [filterStep(filter, whole), filter[0].length];
  throw badRequest(
    `"${whole}" is no JSONPath: do not understand "${rest}"; expected such as {.status.conditions[0].type}`,
  );
}

function endOf(text: string | undefined): number | undefined {
  return text ? Number(text) : undefined;
}

function filterStep([, path = '', ...values]: RegExpExecArray, whole: string): Step {
  const value = values.find((each) => each !== undefined);
  return { kind: 'filter', path: stepsOf(path.trim(), whole), ...(value === undefined ? {} : { value }) };
}

function follow(values: readonly unknown[], steps: readonly Step[]): readonly unknown[] {
  return steps.reduce<readonly unknown[]>(
    (found, step) => found.flatMap((value) => (step.kind === 'descent' ? descendants(value) : next(value, step))),
    values,
  );
}

/** What is an object or a list at any depth, and the value itself. */
function descendants(value: unknown): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value, ...Object.values(value).flatMap(descendants)];
}

function next(value: unknown, step: Exclude<Step, { kind: 'descent' }>): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  switch (step.kind) {
    case 'all':
      return members;
    case 'index':
      return Array.isArray(value) ? present(value.at(step.index)) : [];
    case 'slice':
      return Array.isArray(value) ? value.slice(step.from, step.to) : [];
    case 'filter':
      return members.filter((member) => follow([member], step.path).some((each) => isWanted(each, step.value)));
    case 'field':
      return Object.hasOwn(value, step.name) ? present((value as Record<string, unknown>)[step.name]) : [];
  }
}

function isWanted(value: unknown, wanted: string | undefined): boolean {
  return wanted === undefined || textOfValue(value) === wanted;
}

function present(value: unknown): readonly unknown[] {
  return value === undefined || value === null ? [] : [value];
}

/** Text as it is, anything else as JSON. */
export function textOfValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
