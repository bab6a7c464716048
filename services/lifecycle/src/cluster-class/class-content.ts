import { type ClassContent, isJsonObject, type JsonObject } from '@crate/api';
import {
  compileExpression,
  compileTemplate,
  evaluationMistake,
  memberTypesOf,
  toCelValue,
  withinProcessorTime,
  type Bindings,
  type Compilation,
  type Expression,
  type Template,
} from '@crate/cel';
import type { FieldError, JsonSchema } from '@crate/resource-server';
import { NO_PARAMETERS } from '../value-schema/value-schema.js';
import { isWithin, parseSpecPath, type SpecPath } from './spec-path.js';

/** Time for one constraint. */
const CONSTRAINT_MS = 200;

interface Constraint {
  /** Throws what the expression throws, and Timeout. */
  readonly holds: (bindings: Bindings) => boolean;
  readonly message: string;
  readonly field: string;
}

interface Parts {
  readonly schema: JsonSchema;
  readonly template: Template;
  readonly constraints: readonly Constraint[];
  readonly locked: readonly SpecPath[];
}

/** The content of a class, ready to make clusters of. */
export class CompiledClass {
  private constructor(
    private readonly parts: Parts,
    private readonly deletionProtection: boolean | undefined,
  ) {}

  /** Schema of the parameters. */
  get schema(): JsonSchema {
    return this.parts.schema;
  }

  /** Content that was not checked may have errors; paths begin at the spec of the class. */
  static of(content: ClassContent): { readonly compiled: CompiledClass; readonly errors: readonly FieldError[] } {
    const errors: FieldError[] = [];
    const schema = content.parameters ?? NO_PARAMETERS;
    const params = { name: 'params', members: memberTypesOf(schema) };
    const { template, errors: mistakes } = compileTemplate(content.template, params);
    errors.push(...mistakes.map((error) => ({ ...error, path: ['template', ...error.path] })));
    const constraints = content.constraints.flatMap(({ expression: source, message, field }, index) => {
      const compile = (): Compilation => compileExpression(source, ['self', params], 'bool');
      const compiled = compile();
      if (compiled.ok) return [{ holds: withinLimit(compiled.expression, compile), message, field }];
      const path = ['constraints', index, 'expression'];
      errors.push({ path, value: source, reason: 'FieldValueInvalid', detail: compiled.mistake });
      return [];
    });
    const locked = content.locked.map(parseSpecPath).filter((path) => path !== undefined);
    return {
      compiled: new CompiledClass({ schema, template, constraints, locked }, content.deletionProtection),
      errors,
    };
  }

  /** What the class gives a cluster with these parameters, or why it cannot; paths begin at the template. */
  render(params: JsonObject): { readonly spec: JsonObject; readonly errors: readonly FieldError[] } {
    const { result, errors } = this.parts.template.render(params);
    const protection = this.deletionProtection === undefined ? {} : { deletionProtection: this.deletionProtection };
    return { spec: { ...protection, ...(isJsonObject(result) ? result : {}) }, errors };
  }

  /** True when the template computes what stands at, or above, a path from the template. */
  isComputed(path: readonly (string | number)[]): boolean {
    return this.parts.template.computed.some((computed) => computed.every((step, index) => path[index] === step));
  }

  isLocked(path: SpecPath): boolean {
    return this.parts.locked.some((pattern) => isWithin(path, pattern));
  }

  /** The constraints that a cluster breaks. One that cannot be evaluated counts as broken, and says why. */
  broken(self: unknown, params: JsonObject): readonly { readonly field: string; readonly message: string }[] {
    const bindings = { self: toCelValue(self), params: toCelValue(params) };
    return this.parts.constraints.flatMap(({ holds, message, field }) => {
      try {
        return holds(bindings) ? [] : [{ field, message }];
      } catch (error) {
        return [{ field, message: `${message} (the constraint could not be evaluated: ${evaluationMistake(error)})` }];
      }
    });
  }
}

/** The evaluator may have been stopped anywhere; what it kept inside must not reach the next cluster. */
function withinLimit(expression: Expression, compile: () => Compilation): Constraint['holds'] {
  let current = expression;
  const renew = (): void => {
    const compiled = compile();
    if (compiled.ok) current = compiled.expression;
  };
  return (bindings) => withinProcessorTime(CONSTRAINT_MS, () => current.evaluate(bindings) === true, renew);
}
