import type { ASTNode, Environment } from '@marcbachmann/cel-js';
import { declaredName, evaluationMistakeAt, settled, typeMistake } from './macro.js';
import type { CelType, Checker, Evaluator, Macro, MacroCall, Scope } from './macro.js';
import { FOLDS, type Fold, type Steps } from './folds.js';

/** Comprehensions over index and item, or key and value. Source: https://pkg.go.dev/github.com/google/cel-go/ext#TwoVarComprehensions */
export function addTwoVariableComprehensions(environment: Environment): void {
  for (const [name, fold] of Object.entries(FOLDS)) {
    const expand = (call: MacroCall): Macro => new TwoVariables(name, call, fold);
    environment.registerFunction(`list.${name}(ast, ast, ast): dyn`, expand);
    if (fold.takesFilter) environment.registerFunction(`list.${name}(ast, ast, ast, ast): dyn`, expand);
  }
}

/** `range.name(first, second, filter?, body)`; the library takes a macro for any receiver, so lists and maps are told apart here. */
class TwoVariables implements Macro {
  readonly async = false;
  private readonly names: readonly [string, string];
  private readonly filter: ASTNode | undefined;
  private readonly body: ASTNode;
  private types: readonly [CelType, CelType] | undefined;

  constructor(
    private readonly title: string,
    private readonly call: MacroCall,
    private readonly fold: Fold,
  ) {
    const [first, second, ...rest] = call.args;
    this.names = [declaredName(first), declaredName(second)];
    this.filter = rest.length > 1 ? rest[0] : undefined;
    this.body = rest.at(-1) as ASTNode; // The signatures have three arguments or four.
  }

  typeCheck(checker: Checker, _: unknown, scope: Scope): CelType {
    const [key, value] = (this.types = this.typesOf(checker, checker.check(this.call.receiver, scope)));
    const inner = scope.forkWithVariable(this.names[0], key).forkWithVariable(this.names[1], value);
    if (this.filter) this.require('bool', checker.check(this.filter, inner), this.filter);
    const body = settled(checker, checker.check(this.body, inner));
    if (this.fold.needs) this.require(this.fold.needs, body, this.body);
    return checker.getType(this.fold.typeOf(body.name, key.name));
  }

  evaluate(evaluator: Evaluator, _: unknown, scope: Scope): unknown {
    const [key, value] = this.types as readonly [CelType, CelType]; // Checked before it is evaluated.
    const outer = scope.forkWithVariable(this.names[0], key);
    const inner = outer.forkWithVariable(this.names[1], value);
    const steps: Steps = {
      pairs: this.pairsOf(evaluator.run(this.call.receiver, scope), key),
      bind: ([first, second]) => {
        outer.setIterValue(first, evaluator);
        inner.setIterValue(second, evaluator);
      },
      isWanted: () => this.filter === undefined || this.condition(evaluator.run(this.filter, inner), this.filter),
      condition: () => this.condition(evaluator.run(this.body, inner), this.body),
      value: () => evaluator.run(this.body, inner),
      mistake: (message) => evaluationMistakeAt(`${this.title}(): ${message}`, this.body),
    };
    return this.fold.run(steps);
  }

  private typesOf(checker: Checker, range: CelType): readonly [CelType, CelType] {
    const any = checker.getType('dyn');
    if (range.kind === 'dyn') return [any, any];
    if (range.kind === 'list') return [checker.getType('int'), settled(checker, range.valueType)];
    if (range.kind === 'map') return [settled(checker, range.keyType), settled(checker, range.valueType)];
    throw typeMistake(`${this.title}() needs a list or a map, but has a ${range.name}`, this.call.receiver);
  }

  /** Keys of a map literal are texts to the library, whatever they were written as. */
  private pairsOf(range: unknown, key: CelType): Iterable<readonly [unknown, unknown]> {
    if (Array.isArray(range)) return range.map((item: unknown, index) => [BigInt(index), item] as const);
    if (range instanceof Map) return range;
    if (typeof range !== 'object' || range === null || Object.getPrototypeOf(range) !== Object.prototype) {
      throw evaluationMistakeAt(`${this.title}() needs a list or a map`, this.call.receiver);
    }
    const members = Object.entries(range as Readonly<Record<string, unknown>>);
    return key.name === 'int' ? members.map(([name, member]) => [BigInt(name), member] as const) : members;
  }

  private require(kind: 'bool' | 'map', type: CelType, node: ASTNode): void {
    if (type.kind === 'dyn' || type.kind === kind || type.name === kind) return;
    throw typeMistake(`${this.title}() needs a ${kind}, but has a ${type.name}`, node);
  }

  private condition(value: unknown, node: ASTNode): boolean {
    if (typeof value === 'boolean') return value;
    throw evaluationMistakeAt(`${this.title}() needs a bool`, node);
  }
}
