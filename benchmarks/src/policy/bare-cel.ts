// The library itself, past its one door (libs/cel): what the engine adds to it is what is measured here.
import { Environment } from '@marcbachmann/cel-js';
import { toCelValue } from '@crate/cel';
import type { NamedRule } from './shipped-rules.js';

type Values = Record<string, unknown>;
type Evaluate = (values: Values) => unknown;

/** Expressions of one rule, ready to evaluate by the library alone. */
export interface BareRule {
  readonly name: string;
  readonly params: unknown;
  readonly matchConditions: readonly Evaluate[];
  readonly variables: readonly (readonly [string, Evaluate])[];
  readonly validations: readonly {
    readonly forEach: Evaluate | undefined;
    readonly when: Evaluate | undefined;
    readonly expression: Evaluate;
  }[];
}

/** What rules of plans use most that the library lacks; a rule that needs more than this is left out. */
function bareEnvironment(): Environment {
  return new Environment({
    unlistedVariablesAreDyn: true,
    enableOptionalTypes: true,
    homogeneousAggregateLiterals: false,
  })
    .registerFunction('asList(dyn): list', (value: unknown) => (Array.isArray(value) ? (value as unknown[]) : [value]))
    .registerFunction('parseJSON(string): dyn', (text: string) => toCelValue(JSON.parse(text)));
}

/** The rule for the library alone; undefined when it uses functions that the library lacks. */
export function bareRule({ name, spec }: NamedRule, environment = bareEnvironment()): BareRule | undefined {
  const parse = (source: string): Evaluate => {
    const program = environment.parse(source);
    const checked = program.check();
    if (!checked.valid) throw checked.error ?? new Error(`Not valid: ${source}`);
    return program as Evaluate;
  };
  const optional = (source: string | undefined): Evaluate | undefined =>
    source === undefined ? undefined : parse(source);
  try {
    return {
      name,
      params: toCelValue(spec.params),
      matchConditions: spec.matchConditions.map(({ expression }) => parse(expression)),
      variables: spec.variables.map((variable) => [variable.name, parse(variable.expression)] as const),
      validations: spec.validations.map(({ forEach, when, expression }) => ({
        forEach: optional(forEach),
        when: optional(when),
        expression: parse(expression),
      })),
    };
  } catch {
    return undefined;
  }
}

/** Evaluates all expressions over values that are CEL values already, and counts what does not hold. No clock, no messages, no verdict. */
export function bareLoop(rules: readonly BareRule[], values: Values): number {
  let broken = 0;
  for (const rule of rules) broken += brokenIn(rule, { ...values, params: rule.params });
  return broken;
}

function brokenIn({ matchConditions, variables, validations }: BareRule, given: Values): number {
  if (matchConditions.some((condition) => condition(given) === false)) return 0;
  const worked: Values = {};
  const scope: Values = { ...given, variables: worked };
  for (const [name, evaluate] of variables) worked[name] = evaluate(scope);
  let broken = 0;
  for (const { forEach, when, expression } of validations) {
    const items = forEach ? (forEach(scope) as readonly unknown[]) : [undefined];
    for (const [index, item] of items.entries()) {
      scope['item'] = item;
      scope['index'] = BigInt(index);
      if (when?.(scope) !== false && expression(scope) === false) broken += 1;
    }
  }
  return broken;
}
