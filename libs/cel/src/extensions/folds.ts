/** What a comprehension is made of, one pair of its range at a time. */
export interface Steps {
  readonly pairs: Iterable<readonly [unknown, unknown]>;
  /** Gives the variables the values of a pair. */
  bind(pair: readonly [unknown, unknown]): void;
  /** Whether the filter, if there is one, lets the pair through. */
  isWanted(): boolean;
  /** What the body gives, where that must be a bool. */
  condition(): boolean;
  value(): unknown;
  mistake(message: string): Error;
}

/** How the body's values become one. */
export interface Fold {
  readonly takesFilter: boolean;
  /** What the body must give. */
  readonly needs?: 'bool' | 'map';
  /** CEL's name for the type of the result, from those of body and key. */
  typeOf(body: string, key: string): string;
  run(steps: Steps): unknown;
}

const quantifier = { takesFilter: false, needs: 'bool', typeOf: () => 'bool' } as const;
const existsOne: Fold = { ...quantifier, run: (steps) => isOne(steps) };

/** Two-variable comprehensions by name. */
export const FOLDS: Readonly<Record<string, Fold>> = {
  all: { ...quantifier, run: (steps) => !isFound(steps, false) },
  exists: { ...quantifier, run: (steps) => isFound(steps, true) },
  existsOne,
  exists_one: existsOne,
  transformList: { takesFilter: true, typeOf: (body) => `list<${body}>`, run: listOf },
  transformMap: { takesFilter: true, typeOf: (body, key) => `map<${key}, ${body}>`, run: mapOf },
  transformMapEntry: { takesFilter: true, needs: 'map', typeOf: (body) => body, run: entriesOf },
};

/** A mistake counts only when no pair decides; so it is with `&&` and `||`. */
function isFound(steps: Steps, decisive: boolean): boolean {
  const mistakes: unknown[] = [];
  for (const pair of steps.pairs) {
    steps.bind(pair);
    try {
      if (steps.condition() === decisive) return true;
    } catch (error) {
      mistakes.push(error);
    }
  }
  if (mistakes.length > 0) throw mistakes[0];
  return false;
}

function isOne(steps: Steps): boolean {
  let count = 0;
  for (const pair of steps.pairs) {
    steps.bind(pair);
    if (steps.condition()) count++;
  }
  return count === 1;
}

function listOf(steps: Steps): readonly unknown[] {
  return [...wanted(steps)].map(([, value]) => value);
}

function mapOf(steps: Steps): ReadonlyMap<unknown, unknown> {
  return new Map(wanted(steps));
}

function entriesOf(steps: Steps): ReadonlyMap<unknown, unknown> {
  const result = new Map<unknown, unknown>();
  for (const [, value] of wanted(steps)) {
    for (const [key, member] of entriesIn(value, steps)) {
      if (result.has(key)) throw steps.mistake(`the key ${String(key)} is there twice`);
      result.set(key, member);
    }
  }
  return result;
}

function entriesIn(value: unknown, steps: Steps): Iterable<readonly [unknown, unknown]> {
  if (value instanceof Map) return value;
  if (typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype) {
    return Object.entries(value);
  }
  throw steps.mistake('the expression must give a map');
}

/** The key and what the body gives, for pairs that the filter lets through. */
function* wanted(steps: Steps): Generator<readonly [unknown, unknown]> {
  for (const pair of steps.pairs) {
    steps.bind(pair);
    if (steps.isWanted()) yield [pair[0], steps.value()];
  }
}
