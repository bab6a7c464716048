import { withoutUndefined, type PolicySpec, type PolicyStage } from '@crate/api';
import type { Expression } from '@crate/cel';
import type { ErrorCause } from '@crate/errors';
import { ExpressionCompiler } from './expression-compiler.js';
import { ITEM_VARIABLES, variablesAt } from './stage-variables.js';

type ValidationSpec = PolicySpec['validations'][number];

export interface NamedExpression {
  readonly name: string;
  readonly expression: Expression;
}

/** One thing that must hold, ready to judge. */
export interface CompiledValidation {
  readonly spec: ValidationSpec;
  readonly forEach?: Expression;
  readonly when?: Expression;
  readonly expression: Expression;
  readonly message?: Expression;
  readonly field?: Expression;
}

/** A rule ready to judge documents of one stage. */
export interface CompiledPolicy {
  readonly matchConditions: readonly NamedExpression[];
  readonly variables: readonly NamedExpression[];
  readonly validations: readonly CompiledValidation[];
  readonly auditAnnotations: readonly { readonly key: string; readonly value: Expression }[];
}

export type PolicyCompilation =
  | { readonly ok: true; readonly policy: CompiledPolicy }
  | { readonly ok: false; readonly mistakes: readonly ErrorCause[] };

/** Compiles every expression of a rule for one stage; gives all mistakes, each with its field. Never throws. */
export function compilePolicy(spec: PolicySpec, stage: PolicyStage): PolicyCompilation {
  return compiled(spec, stage, { areTypesKnown: false });
}

/**
 * Mistakes that a rule is refused for when it is written: those of `compilePolicy` at each of its stages, and members that documents
 * cannot have. A rule that was stored before its stage's schema changed goes on being judged with.
 */
export function mistakesOf(spec: PolicySpec): readonly ErrorCause[] {
  const stages = [...new Set(spec.match.stages)];
  const mistakes = stages.flatMap((stage) => {
    const compilation = compiled(spec, stage, { areTypesKnown: true });
    if (compilation.ok) return [];
    const where = stages.length === 1 ? '' : ` (stage ${stage})`;
    return compilation.mistakes.map((mistake) => ({ ...mistake, message: `${mistake.message}${where}` }));
  });
  return [
    ...mistakes,
    ...namesTwice('matchConditions', spec.matchConditions),
    ...namesTwice('variables', spec.variables),
  ];
}

function compiled(
  spec: PolicySpec,
  stage: PolicyStage,
  options: { readonly areTypesKnown: boolean },
): PolicyCompilation {
  const given = variablesAt(stage, spec);
  const compiler = new ExpressionCompiler(
    options.areTypesKnown ? given : given.map((variable) => (typeof variable === 'string' ? variable : variable.name)),
  );
  const policy = {
    matchConditions: spec.matchConditions.map(({ name, expression }, index) => ({
      name,
      expression: compiler.expression(`spec.matchConditions[${index}].expression`, expression, 'bool'),
    })),
    variables: compiler.variables('spec.variables', spec.variables),
    validations: spec.validations.map((validation, index) =>
      validationOf(compiler.with(ITEM_VARIABLES), `spec.validations[${index}]`, validation),
    ),
    auditAnnotations: spec.auditAnnotations.map(({ key, valueExpression }, index) => ({
      key,
      value: compiler.expression(`spec.auditAnnotations[${index}].valueExpression`, valueExpression, 'string'),
    })),
  };
  if (compiler.mistakes.length > 0) return { ok: false, mistakes: compiler.mistakes };
  return { ok: true, policy };
}

function validationOf(compiler: ExpressionCompiler, path: string, spec: ValidationSpec): CompiledValidation {
  const { forEach, when, expression, messageExpression, fieldExpression } = spec;
  const before = {
    forEach: compiler.optional(`${path}.forEach`, forEach, 'list'),
    when: compiler.optional(`${path}.when`, when, 'bool'),
  };
  const condition = compiler.expression(`${path}.expression`, expression, 'bool');
  const after = {
    message: compiler.optional(`${path}.messageExpression`, messageExpression, 'string'),
    field: compiler.optional(`${path}.fieldExpression`, fieldExpression, 'string'),
  };
  return { spec, ...withoutUndefined({ ...before, ...after }), expression: condition };
}

function namesTwice(field: string, named: readonly { readonly name: string }[]): readonly ErrorCause[] {
  return named.flatMap(({ name }, index) =>
    named.findIndex((other) => other.name === name) === index
      ? []
      : [
          {
            reason: 'FieldValueDuplicate',
            field: `spec.${field}[${index}].name`,
            message: `Duplicate value: "${name}"`,
          },
        ],
  );
}
