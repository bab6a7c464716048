import type { Environment } from '@marcbachmann/cel-js';
import { addConversions, addFunctions, addOrderOfBytes } from './cel-functions.js';
import { Declarations } from './declarations.js';
import { addExtensions } from './extensions/index.js';
import { addKubernetesLibraries } from './kubernetes/index.js';
import { SyncEnvironment } from './sync-environment.js';

/** Values by the name that an expression uses. */
export type Bindings = Readonly<Record<string, unknown>>;

/** What an expression must give; `any` is judged by whoever uses the value. */
export type ResultType = 'bool' | 'string' | 'list' | 'any';

/** Types of a variable's members: CEL type names, such as `int` and `list<string>`, and objects of the same. */
export interface MemberTypes {
  readonly [member: string]: string | MemberTypes;
}

/** A variable whose members are known, so that a mistyped one is found before evaluation. */
export interface TypedVariable {
  readonly name: string;
  readonly members: MemberTypes;
}

/** An expression that was parsed and checked. */
export interface Expression {
  /** CEL's name for the type of the result, `dyn` when it is not known before evaluation. */
  readonly type: string;
  /** Throws when a key is missing, types do not fit or the result is not of the asked-for type. */
  evaluate(bindings: Bindings): unknown;
}

/** The one door to the CEL library: an expression, or what is wrong with it. */
export type Compilation =
  { readonly ok: true; readonly expression: Expression } | { readonly ok: false; readonly mistake: string };

const MAX_LENGTH = 4000;

/** Far above any sensible rule, far below what would hurt to parse; the time of evaluation is bounded elsewhere. */
const LIMITS = { maxAstNodes: 1000, maxDepth: 60, maxListElements: 200, maxMapEntries: 200 };

const base = [addConversions, addOrderOfBytes, addFunctions, addKubernetesLibraries, addExtensions].reduce<Environment>(
  (environment, add) => add(environment),
  new SyncEnvironment({ homogeneousAggregateLiterals: false, enableOptionalTypes: true, limits: LIMITS }),
);

const declarations = new Declarations(base);

/** Parses and checks an expression over `variables`; those given by name alone are of dynamic type. Never throws. */
export function compileExpression(
  source: string,
  variables: readonly (string | TypedVariable)[],
  result: ResultType,
): Compilation {
  if (source.length > MAX_LENGTH) return { ok: false, mistake: `must have at most ${MAX_LENGTH} characters` };
  try {
    const program = declarations.of(variables).parse(source);
    const checked = program.check();
    if (!checked.valid) return { ok: false, mistake: describe(checked.error, source) };
    const type = checked.type ?? 'dyn';
    if (!fits(type, result)) return { ok: false, mistake: `must give a ${result}, but gives a ${type}` };
    const evaluated = variables.every(isNamed) ? program : declarations.of(namesOf(variables)).parse(source);
    return { ok: true, expression: { type, evaluate: (bindings) => asserted(evaluated(bindings), result) } };
  } catch (error) {
    return { ok: false, mistake: describe(error, source) };
  }
}

/** What a failed evaluation says, without the source excerpt. */
export function evaluationMistake(error: unknown): string {
  return summaryOf(error);
}

function isNamed(variable: string | TypedVariable): variable is string {
  return typeof variable === 'string';
}

/** Evaluated as they come: the library hands typed objects out in wrappers of its own. */
function namesOf(variables: readonly (string | TypedVariable)[]): readonly string[] {
  return variables.map((variable) => (isNamed(variable) ? variable : variable.name));
}

function fits(type: string, result: ResultType): boolean {
  return result === 'any' || type === 'dyn' || type === result || (result === 'list' && type.startsWith('list'));
}

function asserted(value: unknown, result: ResultType): unknown {
  if (result === 'any') return value;
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
  const summary = summaryOf(error);
  if (start === undefined) return summary;
  const before = source.slice(0, start).split('\n');
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}: ${summary}`;
}

function summaryOf(error: unknown): string {
  const { summary } = error as CelMistake;
  return summary ?? (error instanceof Error ? error.message : String(error));
}
