import { Optional, type ASTNode, type Environment } from '@marcbachmann/cel-js';
import { Duration, UnsignedInt } from '@marcbachmann/cel-js/evaluator';
import { equalTo } from '../equality.js';
import { declaredName, evaluationMistakeAt, settled, typeMistake } from './macro.js';
import type { CelType, Checker, Evaluator, Macro, MacroCall, Scope } from './macro.js';

/** What the library lacks of them. Source: https://pkg.go.dev/github.com/google/cel-go/cel#OptionalTypes */
export function addOptionals(environment: Environment): void {
  environment
    .registerOperator('optional == optional', (left: Optional, right: Optional) => equalTo(left)(right))
    .registerFunction('OptionalNamespace.ofNonZeroValue(A): optional<A>', (_: unknown, value: unknown) =>
      isZero(value) ? Optional.none() : Optional.of(value),
    )
    .registerFunction('list.first(): optional', (list: readonly unknown[]) => Optional.of(list[0]))
    .registerFunction('list.last(): optional', (list: readonly unknown[]) => Optional.of(list.at(-1)))
    .registerFunction('optional.optMap(ast, ast): optional<dyn>', (call: MacroCall) => new OptionalMap(call, false))
    .registerFunction('optional.optFlatMap(ast, ast): optional<dyn>', (call: MacroCall) => new OptionalMap(call, true));
}

function isZero(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return [false, 0, 0n, '', null].includes(value as null);
  if (value instanceof UnsignedInt) return value.value === 0n;
  if (value instanceof Duration) return value.seconds === 0n && value.nanos === 0;
  if (value instanceof Map) return value.size === 0;
  if (Array.isArray(value) || value instanceof Uint8Array) return value.length === 0;
  return Object.getPrototypeOf(value) === Object.prototype && Object.keys(value).length === 0;
}

/** `optMap(name, expression)` computes with the value where there is one; the expression of `optFlatMap` gives an optional. */
class OptionalMap implements Macro {
  readonly async = false;
  private readonly name: string;
  private readonly body: ASTNode;
  private valueType: CelType | undefined;

  constructor(
    private readonly call: MacroCall,
    private readonly isFlat: boolean,
  ) {
    this.name = declaredName(call.args[0]);
    this.body = call.args[1];
  }

  typeCheck(checker: Checker, _: unknown, scope: Scope): CelType {
    const receiver = checker.check(this.call.receiver, scope);
    if (receiver.kind !== 'optional' && receiver.kind !== 'dyn') {
      throw typeMistake(`${this.title} needs an optional, but has a ${receiver.name}`, this.call.receiver);
    }
    this.valueType = settled(checker, receiver.valueType);
    const body = checker.check(this.body, scope.forkWithVariable(this.name, this.valueType));
    if (!this.isFlat) return checker.getType(`optional<${settled(checker, body).name}>`);
    if (body.kind === 'optional' || body.kind === 'dyn') return body;
    throw typeMistake(
      `${this.title} needs an expression that gives an optional, but it gives a ${body.name}`,
      this.body,
    );
  }

  evaluate(evaluator: Evaluator, _: unknown, scope: Scope): unknown {
    const optional = this.optional(evaluator.run(this.call.receiver, scope), this.call.receiver);
    if (!optional.hasValue()) return Optional.none();
    const inner = scope.forkWithVariable(this.name, this.valueType as CelType); // Checked before it is evaluated.
    inner.setIterValue(optional.value(), evaluator);
    const result = evaluator.run(this.body, inner);
    return this.isFlat ? this.optional(result, this.body) : Optional.of(result);
  }

  private optional(value: unknown, node: ASTNode): Optional {
    if (value instanceof Optional) return value;
    throw evaluationMistakeAt(`${this.title} needs an optional`, node);
  }

  private get title(): string {
    return this.isFlat ? 'optFlatMap()' : 'optMap()';
  }
}
