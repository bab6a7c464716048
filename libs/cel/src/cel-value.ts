import { Optional } from '@marcbachmann/cel-js';

/**
 * A JSON value as CEL sees it: whole numbers become ints (JSON knows doubles only, and `%` is not defined for those),
 * and members that are null are left out, because to Kubernetes and Terraform null and absent are the same.
 */
export function toCelValue(value: unknown): unknown {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(toCelValue);
  if (typeof value !== 'object' || value === null) return value;
  const members: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value) as [string, unknown][]) {
    if (member === null || member === undefined) continue;
    if (key === '__proto__') defineMember(members, key, toCelValue(member));
    else members[key] = toCelValue(member);
  }
  return members;
}

/** An assignment to this name would change what the object inherits. Defining every member would take four times as long. */
function defineMember(members: object, key: string, value: unknown): void {
  Object.defineProperty(members, key, { value, enumerable: true, writable: true, configurable: true });
}

/** A CEL value as JSON: ints become numbers, maps objects, and an optional without a value is undefined. Throws on what JSON lacks. */
export function fromCelValue(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Optional) return value.hasValue() ? fromCelValue(value.value()) : undefined;
  if (Array.isArray(value)) return value.map(fromCelValue);
  if (value instanceof Map) return membersOf(value.entries());
  if (typeof value !== 'object' || value === null) return value;
  if (Object.getPrototypeOf(value) !== Object.prototype) throw new TypeError('The expression gives no JSON value');
  return membersOf(Object.entries(value));
}

function membersOf(entries: Iterable<readonly [unknown, unknown]>): Record<string, unknown> {
  const members = [...entries].map(([name, member]) => [String(name), fromCelValue(member)] as const);
  return Object.fromEntries(members.filter(([, member]) => member !== undefined));
}
