import { Optional } from '@marcbachmann/cel-js';
import { UnsignedInt } from '@marcbachmann/cel-js/evaluator';

/** Whether another value is what CEL calls equal: 1 and 1.0 are, and maps whatever the order of their members. */
export function equalTo(value: unknown): (other: unknown) => boolean {
  const key = keyOf(value);
  return (other) => keyOf(other) === key;
}

/** The same text for equal values, and another for others. */
function keyOf(value: unknown): string {
  if (typeof value === 'bigint' || typeof value === 'number') return `#${value}`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined';
  if (Array.isArray(value)) return `[${value.map(keyOf).join()}]`;
  if (value instanceof Map) return keyOfMembers([...value]);
  if (isPlain(value)) return keyOfMembers(Object.entries(value));
  return keyOfInstance(value);
}

function keyOfInstance(value: object): string {
  if (value instanceof UnsignedInt) return `#${value.value}`;
  if (value instanceof Uint8Array) return `bytes ${Buffer.from(value).toString('hex')}`;
  if (value instanceof Date) return `time ${value.getTime()}`;
  if (value instanceof Optional) return value.hasValue() ? `some ${keyOf(value.value())}` : 'none';
  return `${value.constructor.name} ${(value as { toString(): string }).toString()}`;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function keyOfMembers(members: readonly (readonly [unknown, unknown])[]): string {
  const keys = members.map(([name, member]) => `${keyOf(name)}:${keyOf(member)}`);
  return `{${keys.sort().join()}}`;
}
