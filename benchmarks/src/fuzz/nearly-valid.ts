import fc from 'fast-check';

/** The value with one thing wrong in it: something missing, of another type, unknown, or far too much. */
export function nearlyValid(right: fc.Arbitrary<unknown>, texts: fc.Arbitrary<string>): fc.Arbitrary<unknown> {
  const wrong = fc.oneof(
    fc.constant(undefined),
    fc.constant(null),
    fc.constantFrom<unknown>([], {}, -1, 1.5, 2 ** 60, true, '0', [[]], { name: {} }),
    texts,
    fc.jsonValue({ maxDepth: 2 }),
  );
  const place = fc.array(fc.nat({ max: 50 }), { minLength: 1, maxLength: 6 });
  return fc
    .record({ value: right, wrong, place, isAdded: fc.boolean(), name: fc.oneof(texts, fc.string({ maxLength: 8 })) })
    .map(({ value, wrong: bad, place: path, isAdded, name }) => {
      const copy = structuredClone(value);
      damage(copy, path, { bad, isAdded, name });
      return copy;
    });
}

interface Change {
  readonly bad: unknown;
  readonly isAdded: boolean;
  readonly name: string;
}

/** Walks into the value by the numbers given, as far as it goes, and spoils what is there. */
function damage(value: unknown, [step = 0, ...rest]: readonly number[], change: Change): void {
  if (!isContainer(value)) return;
  const keys = Object.keys(value);
  const key = keys[step % Math.max(keys.length, 1)];
  if (rest.length > 0 && key !== undefined && isContainer(value[key])) return damage(value[key], rest, change);
  spoil(value, key, change);
}

function spoil(target: Record<string, unknown>, key: string | undefined, { bad, isAdded, name }: Change): void {
  // JSON knows no names in a list.
  if (isAdded && Array.isArray(target)) target.push(bad ?? 1);
  else if (isAdded) define(target, name, bad ?? 1);
  else if (key !== undefined && bad === undefined) delete target[key];
  else if (key !== undefined) target[key] = bad;
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** As JSON would: `__proto__` becomes a field of its own. */
function define(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}
