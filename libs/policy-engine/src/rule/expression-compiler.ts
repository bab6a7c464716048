import { compileExpression, type Expression, type MemberTypes, type ResultType, type TypedVariable } from '@crate/cel';
import type { ErrorCause } from '@crate/errors';
import type { NamedExpression } from './compiled-policy.js';

type Variable = string | TypedVariable;

/** Kubernetes' words that have no meaning here, and what to do instead. */
const ABSENT: Readonly<Record<string, string>> = {
  namespaceObject: 'is not there: match Projects by name with spec.match.projects',
  authorizer:
    'is not there: nothing is asked outside when a rule is judged; policies judge documents, roles in Projects judge people',
};

const NEVER: Expression = {
  type: 'dyn',
  evaluate: () => {
    throw new TypeError('The expression does not compile');
  },
};

/** Compiles the expressions of one rule and collects what is wrong with them. */
export class ExpressionCompiler {
  constructor(
    private given: readonly Variable[],
    readonly mistakes: ErrorCause[] = [],
  ) {}

  /** The same with further variables; mistakes go to one list. */
  with(further: readonly Variable[]): ExpressionCompiler {
    return new ExpressionCompiler([...this.given, ...further], this.mistakes);
  }

  /** What stands for a mistaken expression throws when it is evaluated; whoever finds mistakes uses nothing of it. */
  expression(field: string, source: string, result: ResultType): Expression {
    const compiled = compileExpression(source, this.given, result);
    if (compiled.ok) return compiled.expression;
    const message = `Invalid value: ${JSON.stringify(source)}: ${withAdvice(compiled.mistake)}`;
    this.mistakes.push({ reason: 'FieldValueInvalid', field, message });
    return NEVER;
  }

  optional(field: string, source: string | undefined, result: ResultType): Expression | undefined {
    return source === undefined ? undefined : this.expression(field, source, result);
  }

  /** Each sees those before it, and everything compiled later sees all of them. */
  variables(
    field: string,
    named: readonly { readonly name: string; readonly expression: string }[],
  ): NamedExpression[] {
    const members: Record<string, string | MemberTypes> = {};
    const before = this.given;
    const done: NamedExpression[] = [];
    for (const [index, { name, expression }] of named.entries()) {
      this.given = [...before, { name: 'variables', members: { ...members } }];
      const compiled = this.expression(`${field}[${index}].expression`, expression, 'any');
      done.push({ name, expression: compiled });
      members[name] = 'dyn';
    }
    this.given = [...before, { name: 'variables', members }];
    return done;
  }
}

function withAdvice(mistake: string): string {
  const word = Object.keys(ABSENT).find((name) => mistake.includes(`Unknown variable: ${name}`));
  return word === undefined ? mistake : `${mistake} (${word} ${ABSENT[word]})`;
}
