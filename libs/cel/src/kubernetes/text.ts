import { UnsignedInt } from '@marcbachmann/cel-js/evaluator';

/** What `%s` makes of a value. Source: https://github.com/google/cel-go/blob/master/ext/README.md#format */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (value instanceof Date) return timestampOf(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8');
  if (Array.isArray(value)) return `[${value.map(textOf).join(', ')}]`;
  if (value instanceof Map) return membersOf([...value]);
  if (value instanceof UnsignedInt) return value.value.toString();
  if (typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype) {
    return membersOf(Object.entries(value));
  }
  const { name } = value as { readonly name?: string };
  return name ?? (value as { toString(): string }).toString();
}

/** RFC 3339, without a fraction that is zero. */
export function timestampOf(date: Date): string {
  return date.toISOString().replace(/\.?0*Z$/, 'Z');
}

function membersOf(members: readonly (readonly [unknown, unknown])[]): string {
  const texts = members.map(([name, member]) => [textOf(name), textOf(member)] as const);
  const sorted = [...texts].sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${sorted.map(([name, member]) => `${name}: ${member}`).join(', ')}}`;
}
