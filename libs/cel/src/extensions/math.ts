import { badRequest } from '@crate/errors';
import type { Environment } from '@marcbachmann/cel-js';
import { UnsignedInt } from '@marcbachmann/cel-js/evaluator';
import { addBits } from './bits.js';

/** `math.abs` is a function of a namespace, which the library knows as a constant. */
class MathNamespace {}

type Numeric = bigint | number | UnsignedInt;
type Compared = (one: Numeric, other: Numeric) => boolean;

const LEAST_INT = -(2n ** 63n);
/** `greatest(a, b, …)` needs a signature for every number of arguments; longer ones take a list. */
const MOST_ARGUMENTS = 8;

/** Source: https://pkg.go.dev/github.com/google/cel-go/ext#Math */
export function addMath(environment: Environment): void {
  environment
    .registerType('MathNamespace', MathNamespace)
    .registerConstant('math', 'MathNamespace', new MathNamespace());
  addOfDoubles(environment);
  addOfNumbers(environment);
  addBits(environment);
  for (let count = 1; count <= MOST_ARGUMENTS; count++) {
    const types = Array.from({ length: count }, () => 'dyn').join();
    environment
      .registerFunction(
        `MathNamespace.greatest(${types}): dyn`,
        extreme('greatest', (one, other) => one > other),
      )
      .registerFunction(
        `MathNamespace.least(${types}): dyn`,
        extreme('least', (one, other) => one < other),
      );
  }
}

function addOfDoubles(environment: Environment): void {
  const ofDouble = (name: string, type: string, compute: (value: number) => unknown): void => {
    environment.registerFunction(`MathNamespace.${name}(double): ${type}`, (_: unknown, value: number) =>
      compute(value),
    );
  };
  ofDouble('ceil', 'double', Math.ceil);
  ofDouble('floor', 'double', Math.floor);
  ofDouble('trunc', 'double', Math.trunc);
  ofDouble('round', 'double', (value) => Math.sign(value) * Math.round(Math.abs(value))); // Halves go away from zero.
  ofDouble('isNaN', 'bool', Number.isNaN);
  ofDouble('isInf', 'bool', (value) => Math.abs(value) === Infinity);
  ofDouble('isFinite', 'bool', Number.isFinite);
}

/** They give what they are given; what that is may be known at evaluation only, so to the checker it is anything. */
function addOfNumbers(environment: Environment): void {
  const functions = { abs, sign, sqrt: (value: Numeric) => Math.sqrt(Number(value)) };
  for (const [name, compute] of Object.entries(functions)) {
    for (const type of ['int', 'uint', 'double']) {
      const result = name === 'sqrt' ? 'double' : 'dyn';
      environment.registerFunction(`MathNamespace.${name}(${type}): ${result}`, (_: unknown, value: Numeric) =>
        compute(value),
      );
    }
  }
}

function abs(value: Numeric): Numeric {
  if (typeof value === 'number') return Math.abs(value);
  if (value instanceof UnsignedInt) return value;
  if (value === LEAST_INT) throw badRequest('math.abs() of the least int is too large for an int');
  return value < 0n ? -value : value;
}

function sign(value: Numeric): Numeric {
  if (typeof value === 'number') return Math.sign(value);
  if (value instanceof UnsignedInt) return new UnsignedInt(value.value > 0n ? 1n : 0n);
  if (value === 0n) return 0n;
  return value < 0n ? -1n : 1n;
}

/** Of numbers, or of the one list of numbers; of equal ones the first. */
function extreme(name: string, isBetter: Compared): (namespace: unknown, ...values: readonly unknown[]) => Numeric {
  return (_, ...values) => {
    const [only] = values;
    const all: readonly unknown[] = values.length === 1 && Array.isArray(only) ? only : values;
    const numbers = all.filter(isNumeric);
    const [first, ...others] = numbers;
    if (first === undefined || numbers.length < all.length) throw badRequest(`math.${name}() takes numbers`);
    return others.reduce((best, value) => (isBetter(value, best) ? value : best), first);
  };
}

function isNumeric(value: unknown): value is Numeric {
  return typeof value === 'bigint' || typeof value === 'number' || value instanceof UnsignedInt;
}
