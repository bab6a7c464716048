import { badRequest } from '@crate/errors';
import type { Environment } from '@marcbachmann/cel-js';
import { UnsignedInt } from '@marcbachmann/cel-js/evaluator';

const WIDTH = 64;

/** Source: https://pkg.go.dev/github.com/google/cel-go/ext#Math */
export function addBits(environment: Environment): void {
  ofTwo(environment, 'bitAnd', (left, right) => left & right);
  ofTwo(environment, 'bitOr', (left, right) => left | right);
  ofTwo(environment, 'bitXor', (left, right) => left ^ right);
  ofOne(environment, 'bitNot', (value) => ~value);
  shifted(environment, 'bitShiftLeft', (value, by) => value << by);
  shifted(environment, 'bitShiftRight', (value, by) => BigInt.asUintN(WIDTH, value) >> by); // The sign moves, too.
}

function ofTwo(environment: Environment, name: string, compute: (left: bigint, right: bigint) => bigint): void {
  environment
    .registerFunction(`MathNamespace.${name}(int, int): int`, (_: unknown, left: bigint, right: bigint) =>
      int(compute(left, right)),
    )
    .registerFunction(`MathNamespace.${name}(uint, uint): uint`, (_: unknown, left: UnsignedInt, right: UnsignedInt) =>
      uint(compute(left.value, right.value)),
    );
}

function ofOne(environment: Environment, name: string, compute: (value: bigint) => bigint): void {
  environment
    .registerFunction(`MathNamespace.${name}(int): int`, (_: unknown, value: bigint) => int(compute(value)))
    .registerFunction(`MathNamespace.${name}(uint): uint`, (_: unknown, value: UnsignedInt) =>
      uint(compute(value.value)),
    );
}

function shifted(environment: Environment, name: string, compute: (value: bigint, by: bigint) => bigint): void {
  const shift = (value: bigint, by: bigint): bigint => {
    if (by < 0n) throw badRequest(`math.${name}() takes no negative number of bits`);
    return by < WIDTH ? compute(value, by) : 0n;
  };
  environment
    .registerFunction(`MathNamespace.${name}(int, int): int`, (_: unknown, value: bigint, by: bigint) =>
      int(shift(value, by)),
    )
    .registerFunction(`MathNamespace.${name}(uint, int): uint`, (_: unknown, value: UnsignedInt, by: bigint) =>
      uint(shift(value.value, by)),
    );
}

function int(bits: bigint): bigint {
  return BigInt.asIntN(WIDTH, bits);
}

function uint(bits: bigint): UnsignedInt {
  return new UnsignedInt(BigInt.asUintN(WIDTH, bits));
}
