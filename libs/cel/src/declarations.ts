import type { Environment } from '@marcbachmann/cel-js';
import type { TypedVariable } from './expression.js';

type Variable = string | TypedVariable;

/** Of one environment. Programs name few variables, but explanations also declare what people name in the loops of their expressions. */
const MOST_NAMES = 100;

/** An environment, and those that were made of it by declaring one variable more. */
interface Declared {
  readonly environment: Environment;
  readonly named: Map<string, Declared>;
  readonly typed: WeakMap<TypedVariable, Declared>;
}

/**
 * The environments of expressions, by the variables declared in them. To declare one takes far longer than to parse most expressions, and
 * nearly all expressions share theirs with others: each list of variables is declared once, and what lists begin with alike once for all of
 * them. Typed variables are told apart as objects, and what was declared with one is forgotten with it.
 */
export class Declarations {
  private readonly root: Declared;

  constructor(base: Environment) {
    this.root = declared(base);
  }

  /** Whoever gets it declares nothing more in it. Throws when one cannot be declared: a name that is reserved, or stands there twice. */
  of(variables: readonly Variable[]): Environment {
    return variables.reduce(withOneMore, this.root).environment;
  }
}

function withOneMore(before: Declared, variable: Variable): Declared {
  const known = typeof variable === 'string' ? before.named.get(variable) : before.typed.get(variable);
  if (known) return known;
  const made = declared(declare(before.environment.clone(), variable));
  if (typeof variable !== 'string') before.typed.set(variable, made);
  else if (before.named.size < MOST_NAMES) before.named.set(variable, made);
  return made;
}

function declared(environment: Environment): Declared {
  return { environment, named: new Map(), typed: new WeakMap() };
}

function declare(scope: Environment, variable: Variable): Environment {
  if (typeof variable === 'string') return scope.registerVariable(variable, 'dyn');
  return scope.registerVariable({ name: variable.name, schema: variable.members });
}
