import { badRequest } from '@crate/errors';
import type { Environment } from '@marcbachmann/cel-js';

type List = readonly unknown[];

/** Source: https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-list-library */
export function addLists(environment: Environment): void {
  environment
    .registerFunction('list.isSorted(): bool', (list: List) =>
      list.every((value, index) => index === 0 || !isLess(value, list[index - 1])),
    )
    .registerFunction('list.sum(): dyn', sum)
    .registerFunction('list.min(): dyn', (list: List) => extreme(list, isLess))
    .registerFunction('list.max(): dyn', (list: List) => extreme(list, (left, right) => isLess(right, left)))
    .registerFunction('list.indexOf(dyn): int', (list: List, value: unknown) => BigInt(list.findIndex(equals(value))))
    .registerFunction('list.lastIndexOf(dyn): int', (list: List, value: unknown) =>
      BigInt(list.findLastIndex(equals(value))),
    );
}

class SetsNamespace {}

/** Source: https://github.com/google/cel-go/blob/master/ext/README.md#sets */
export function addSets(environment: Environment): void {
  const isWithin = (inner: List, outer: List): boolean => inner.every((value) => outer.some(equals(value)));
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
      left.some((value) => right.some(equals(value))),
    );
}

function sum(list: List): unknown {
  if (list.every((value) => typeof value === 'bigint')) return list.reduce((total, value) => total + value, 0n);
  if (list.every((value) => typeof value === 'number')) return list.reduce((total, value) => total + value, 0);
  throw badRequest('sum() takes ints or doubles');
}

function extreme(list: List, isBetter: (one: unknown, other: unknown) => boolean): unknown {
  if (list.length === 0) throw badRequest('min() and max() need a value');
  return list.reduce((best, value) => (isBetter(value, best) ? value : best));
}

/** Of values of one type that has an order. */
function isLess(left: unknown, right: unknown): boolean {
  const [one, other] = [ordered(left), ordered(right)];
  if (typeof one !== typeof other) throw badRequest('Values of different types have no order');
  return one < other;
}

function ordered(value: unknown): bigint | number | string | boolean {
  if (value instanceof Date) return value.getTime();
  if (
    typeof value === 'bigint' ||
    typeof value === 'number' ||
    typeof value === 'string' ||
    typeof value === 'boolean'
  ) {
    return value;
  }
  throw badRequest('Lists, maps and the like have no order');
}

function equals(value: unknown): (other: unknown) => boolean {
  const text = keyOf(value);
  return (other) => keyOf(other) === text;
}

/** Values that are equal to CEL have the same: 1 and 1.0 are, whatever the order of members. */
function keyOf(value: unknown): string {
  if (typeof value === 'bigint' || typeof value === 'number') return `#${value}`;
  if (Array.isArray(value)) return `[${value.map(keyOf).join()}]`;
  if (value instanceof Map) return membersOf([...value]);
  if (value instanceof Date) return `@${value.getTime()}`;
  if (typeof value === 'object' && value !== null) return membersOf(Object.entries(value));
  return JSON.stringify(value);
}

function membersOf(members: readonly (readonly [unknown, unknown])[]): string {
  const texts = members.map(([name, member]) => `${keyOf(name)}:${keyOf(member)}`);
  return `{${texts.sort().join()}}`;
}
