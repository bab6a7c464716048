import { badRequest } from '@crate/errors';
import type { Environment } from '@marcbachmann/cel-js';
import { Duration, UnsignedInt } from '@marcbachmann/cel-js/evaluator';
import { equalTo } from '../equality.js';

type List = readonly unknown[];

const NANOS = 1_000_000_000n;

/** Source: https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-list-library */
export function addLists(environment: Environment): void {
  environment
    .registerFunction('list.isSorted(): bool', (list: List) =>
      list.every((value, index) => index === 0 || !isLess(value, list[index - 1])),
    )
    .registerFunction('list.sum(): dyn', sum)
    .registerFunction('list.min(): dyn', (list: List) => extreme(list, isLess))
    .registerFunction('list.max(): dyn', (list: List) => extreme(list, (left, right) => isLess(right, left)))
    .registerFunction('list.indexOf(dyn): int', (list: List, value: unknown) => BigInt(list.findIndex(equalTo(value))))
    .registerFunction('list.lastIndexOf(dyn): int', (list: List, value: unknown) =>
      BigInt(list.findLastIndex(equalTo(value))),
    );
}

class SetsNamespace {}

/** Source: https://github.com/google/cel-go/blob/master/ext/README.md#sets */
export function addSets(environment: Environment): void {
  const isWithin = (inner: List, outer: List): boolean => inner.every((value) => outer.some(equalTo(value)));
  environment
    .registerType('SetsNamespace', SetsNamespace)
    .registerConstant('sets', 'SetsNamespace', new SetsNamespace())
    .registerFunction('SetsNamespace.contains(list, list): bool', (_: SetsNamespace, outer: List, inner: List) =>
      isWithin(inner, outer),
    )
    .registerFunction(
      'SetsNamespace.equivalent(list, list): bool',
      (_: SetsNamespace, left: List, right: List) => isWithin(left, right) && isWithin(right, left),
    )
    .registerFunction('SetsNamespace.intersects(list, list): bool', (_: SetsNamespace, left: List, right: List) =>
      left.some((value) => right.some(equalTo(value))),
    );
}

function sum(list: List): unknown {
  if (list.every((value) => typeof value === 'bigint')) return list.reduce((total, value) => total + value, 0n);
  if (list.every((value) => typeof value === 'number')) return list.reduce((total, value) => total + value, 0);
  if (list.every((value) => value instanceof UnsignedInt)) {
    return new UnsignedInt(list.reduce((total, { value }) => total + value, 0n));
  }
  if (list.every((value) => value instanceof Duration)) {
    return list.reduce((total, value) => total.addDuration(value), new Duration(0));
  }
  throw badRequest('sum() takes ints, uints, doubles or durations');
}

function extreme(list: List, isBetter: (one: unknown, other: unknown) => boolean): unknown {
  if (list.length === 0) throw badRequest('min() and max() need a value');
  return list.reduce((best, value) => (isBetter(value, best) ? value : best));
}

/** Of values of one type that has an order. */
function isLess(left: unknown, right: unknown): boolean {
  const [one, other] = [ordered(left), ordered(right)];
  if (one.type !== other.type) throw badRequest('Values of different types have no order');
  return one.key < other.key;
}

function ordered(value: unknown): { readonly type: string; readonly key: bigint | number | string | boolean } {
  if (value instanceof Date) return { type: 'timestamp', key: value.getTime() };
  if (value instanceof Duration) return { type: 'duration', key: value.seconds * NANOS + BigInt(value.nanos) };
  if (value instanceof UnsignedInt) return { type: 'uint', key: value.value };
  if (value instanceof Uint8Array) return { type: 'bytes', key: Buffer.from(value).toString('hex') };
  if (
    typeof value === 'bigint' ||
    typeof value === 'number' ||
    typeof value === 'string' ||
    typeof value === 'boolean'
  ) {
    return { type: typeof value, key: value };
  }
  throw badRequest('Lists, maps and the like have no order');
}
