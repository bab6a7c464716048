import { EvaluationError, ParseError, TypeError as CelTypeError, type ASTNode } from '@marcbachmann/cel-js';

/** A type as the library's checker knows it. */
export interface CelType {
  readonly kind: string;
  readonly name: string;
  readonly keyType?: CelType;
  readonly valueType?: CelType;
  readonly hasPlaceholderType: boolean;
}

/** What a name means, to the checker its type and to the evaluator its value. */
export interface Scope {
  forkWithVariable(name: string, type: CelType): VariableScope;
}

export interface VariableScope extends Scope {
  /** Throws when the value is not of the variable's type. */
  setIterValue(value: unknown, evaluator: Evaluator): unknown;
}

export interface Checker {
  check(node: ASTNode, scope: Scope): CelType;
  getType(name: string): CelType;
}

export interface Evaluator {
  run(node: ASTNode, scope: Scope): unknown;
}

/** A macro's call as it was written. */
export interface MacroCall {
  readonly receiver: ASTNode;
  /** Every signature here has two at least. */
  readonly args: readonly [ASTNode, ASTNode, ...ASTNode[]];
}

/** What becomes of a call: checked once, and evaluated any number of times after it. */
export interface Macro {
  readonly async: false;
  typeCheck(checker: Checker, macro: unknown, scope: Scope): CelType;
  evaluate(evaluator: Evaluator, macro: unknown, scope: Scope): unknown;
}

/** The name of the variable that an argument declares. Throws ParseError when it is no name. */
export function declaredName(argument: ASTNode): string {
  if (argument.op === 'id') return argument.args;
  throw new ParseError({ code: 'invalid_macro_argument', message: 'A variable must be a plain name', node: argument });
}

/** A type that is not settled, such as that of the items of `[]`, as one that may be anything. */
export function settled(checker: Checker, type: CelType | undefined): CelType {
  return type === undefined || type.hasPlaceholderType ? checker.getType('dyn') : type;
}

export function typeMistake(message: string, node: ASTNode): Error {
  return new CelTypeError({ code: 'invalid_macro_argument', message, node });
}

export function evaluationMistakeAt(message: string, node: ASTNode): Error {
  return new EvaluationError({ code: 'invalid_macro_argument', message, node });
}
