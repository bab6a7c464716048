import type { ErrorCause } from '@crate/errors';
import type { Policy } from '@crate/api';
import { compileExpression, type Bindings, type Expression, type ResultType, type TypedVariable } from '@crate/cel';
import { typedVariablesOf, variablesOf } from './stage-variables.js';

type PolicySpec = Policy['spec'];

/** A rule ready to judge. */
export interface CompiledPolicy {
  readonly spec: PolicySpec;
  readonly forEach?: Expression;
  readonly when?: Expression;
  readonly expression: Expression;
  readonly message: (bindings: Bindings) => string;
  readonly field: (bindings: Bindings) => string;
}

export type PolicyCompilation =
  | { readonly ok: true; readonly policy: CompiledPolicy }
  | { readonly ok: false; readonly mistakes: readonly ErrorCause[] };

/** Compiles every expression of a rule; gives all mistakes, each with its field. Never throws. */
export function compilePolicy(spec: PolicySpec): PolicyCompilation {
  return compiled(spec, variablesOf(spec.stage));
}

/**
 * Mistakes that a rule is refused for when it is written: those of `compilePolicy`, and members that documents of its stage cannot have. A rule that was
 * stored before its stage's schema changed goes on being judged with.
 */
export function mistakesOf(spec: PolicySpec): readonly ErrorCause[] {
  const compilation = compiled(spec, typedVariablesOf(spec.stage));
  return compilation.ok ? [] : compilation.mistakes;
}

function compiled(spec: PolicySpec, variables: Variables): PolicyCompilation {
  const compiler = new Compiler(variables);
  const forEach = compiler.optional('spec.forEach', spec.forEach, 'list');
  const when = compiler.optional('spec.when', spec.when, 'bool');
  const expression = compiler.expression('spec.expression', spec.expression, 'bool');
  const message = compiler.text('spec.message', spec.message);
  const field = compiler.text('spec.field', spec.field);
  if (!expression || compiler.mistakes.length > 0) return { ok: false, mistakes: compiler.mistakes };
  const parts = { ...(forEach ? { forEach } : {}), ...(when ? { when } : {}) };
  return { ok: true, policy: { spec, ...parts, expression, message, field } };
}

type Variables = readonly (string | TypedVariable)[];

class Compiler {
  readonly mistakes: ErrorCause[] = [];

  constructor(private readonly variables: Variables) {}

  expression(field: string, source: string, result: ResultType): Expression | undefined {
    const compiled = compileExpression(source, this.variables, result);
    if (compiled.ok) return compiled.expression;
    const message = `Invalid value: ${JSON.stringify(source)}: ${compiled.mistake}`;
    this.mistakes.push({ reason: 'FieldValueInvalid', field, message });
    return undefined;
  }

  optional(field: string, source: string | undefined, result: ResultType): Expression | undefined {
    return source === undefined ? undefined : this.expression(field, source, result);
  }

  /**
   * Text is a CEL string expression when it is a valid one, and otherwise stands for itself. With a double quotation
   * mark in it the former was meant, so a mistake there is told.
   */
  text(field: string, source: string): (bindings: Bindings) => string {
    const compiled = compileExpression(source, this.variables, 'string');
    if (compiled.ok) return (bindings) => compiled.expression.evaluate(bindings) as string;
    if (source.includes('"')) this.expression(field, source, 'string');
    return () => source;
  }
}
