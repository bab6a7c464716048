import { Environment } from '@marcbachmann/cel-js';
import { addFunctions } from './cel-functions.js';

/** Values by the name that an expression uses. */
export type Bindings = Readonly<Record<string, unknown>>;

/** What an expression must give. */
export type ResultType = 'bool' | 'string' | 'list';

/** An expression that was parsed and checked. */
export interface Expression {
  /** Throws when a key is missing, types do not fit or the result is not of the asked-for type. */
  evaluate(bindings: Bindings): unknown;
}

/** The one door to the CEL library: an expression, or what is wrong with it. */
export type Compilation =
  { readonly ok: true; readonly expression: Expression } | { readonly ok: false; readonly mistake: string };

const MAX_LENGTH = 4000;

/** Far above any sensible rule, far below what would hurt to parse; the time of evaluation is bounded elsewhere. */
const LIMITS = { maxAstNodes: 1000, maxDepth: 60, maxListElements: 200, maxMapEntries: 200 };

const base = addFunctions(
  new Environment({ homogeneousAggregateLiterals: false, enableOptionalTypes: true, limits: LIMITS }),
);

/** Parses and checks an expression over `variables`, all of dynamic type. Never throws. */
export function compileExpression(source: string, variables: readonly string[], result: ResultType): Compilation {
  if (source.length > MAX_LENGTH) return { ok: false, mistake: `must have at most ${MAX_LENGTH} characters` };
  const environment = variables.reduce((scope, name) => scope.registerVariable(name, 'dyn'), base.clone());
  try {
    const program = environment.parse(source);
    const checked = program.check();
    if (!checked.valid) return { ok: false, mistake: describe(checked.error, source) };
    const type = checked.type ?? 'dyn';
    if (!fits(type, result)) return { ok: false, mistake: `must give a ${result}, but gives a ${type}` };
    return { ok: true, expression: { evaluate: (bindings) => asserted(program(bindings), result) } };
  } catch (error) {
    return { ok: false, mistake: describe(error, source) };
  }
}

/** What a failed evaluation says, without the source excerpt. */
export function evaluationMistake(error: unknown): string {
  return summaryOf(error);
}

function fits(type: string, result: ResultType): boolean {
  return type === 'dyn' || type === result || (result === 'list' && type.startsWith('list'));
}

function asserted(value: unknown, result: ResultType): unknown {
  const isRight =
    result === 'list' ? Array.isArray(value) : typeof value === (result === 'bool' ? 'boolean' : 'string');
  if (!isRight) throw new TypeError(`The expression must give a ${result}`);
  return value;
}

/** The library's errors carry a summary and a range; a person wants line and column. */
interface CelMistake {
  readonly summary?: string;
  readonly range?: { readonly start: number };
}

function describe(error: unknown, source: string): string {
  const start = (error as CelMistake).range?.start;
  if (start === undefined) return summaryOf(error);
  const before = source.slice(0, start).split('\n');
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}: ${summaryOf(error)}`;
}

function summaryOf(error: unknown): string {
  const { summary } = error as CelMistake;
  return summary ?? (error instanceof Error ? error.message : String(error));
}
