import { RegExpParser, type AST } from '@eslint-community/regexpp';
import { areApart, unitsOf, type Units } from './pattern-units.js';

/** One place in a pattern where a character is taken, and the places that may come after it. */
interface Position {
  readonly units: Units;
  readonly follow: Set<Position>;
}

/** Part of a pattern: where it may begin and end, and whether it may be nothing. */
interface Fragment {
  readonly first: readonly Position[];
  readonly last: readonly Position[];
  readonly isNullable: boolean;
}

/** Longer ones are not looked into. */
const LONGEST = 500;
/** More repetitions of one character are not counted but unrolled by the engine. */
const MOST_REPETITIONS = 1_000;

const EMPTY: Fragment = { first: [], last: [], isNullable: true };
const parser = new RegExpParser();

/** A form that the proof does not cover. */
class Unknown extends Error {}

/**
 * Whether matching takes at most a few steps for each character, whatever the text: the pattern is held to the text's beginning, and at no
 * place do two ways on take the same character (it is one-unambiguous) or nothing, so that an engine that tries every way has only one to try. False
 * also where that is not known: assertions within, references back, classes by property.
 * Source: Brüggemann-Klein and Wood, One-Unambiguous Regular Languages (1998).
 */
export function isLinearPattern(pattern: string): boolean {
  if (pattern.length > LONGEST) return false;
  try {
    const { alternatives } = parser.parsePattern(pattern);
    const [only, ...others] = alternatives;
    if (!only || others.length > 0) return false;
    const seen: Position[] = [];
    const { first } = sequence(withoutEnds(only.elements), seen);
    return [first, ...seen.map(({ follow }) => [...follow])].every(isDecided);
  } catch (error) {
    if (error instanceof Unknown || error instanceof SyntaxError) return false;
    throw error;
  }
}

function withoutEnds(elements: readonly AST.Element[]): readonly AST.Element[] {
  const [start, ...rest] = elements;
  if (start?.type !== 'Assertion' || start.kind !== 'start') throw new Unknown();
  const end = rest.at(-1);
  return end?.type === 'Assertion' && end.kind === 'end' ? rest.slice(0, -1) : rest;
}

function isDecided(ways: readonly Position[]): boolean {
  return ways.every((way, index) => ways.slice(index + 1).every((other) => areApart(way.units, other.units)));
}

function sequence(elements: readonly AST.Element[], seen: Position[]): Fragment {
  return elements.reduce((before, element) => {
    const after = fragmentOf(element, seen);
    link(before.last, after.first);
    return {
      first: before.isNullable ? [...before.first, ...after.first] : before.first,
      last: after.isNullable ? [...before.last, ...after.last] : after.last,
      isNullable: before.isNullable && after.isNullable,
    };
  }, EMPTY);
}

function choice(alternatives: readonly AST.Alternative[], seen: Position[]): Fragment {
  const ways = alternatives.map(({ elements }) => sequence(elements, seen));
  // Each would be tried where nothing is taken, and with every further group of the sort twice as many.
  if (ways.filter(({ isNullable }) => isNullable).length > 1) throw new Unknown();
  return {
    first: ways.flatMap(({ first }) => first),
    last: ways.flatMap(({ last }) => last),
    isNullable: ways.some(({ isNullable }) => isNullable),
  };
}

function fragmentOf(element: AST.Element, seen: Position[]): Fragment {
  if (element.type === 'Quantifier') return repeated(element, seen);
  if (element.type === 'Group' || element.type === 'CapturingGroup') return choice(element.alternatives, seen);
  const units = unitsOf(element);
  if (!units) throw new Unknown();
  const position: Position = { units, follow: new Set() };
  seen.push(position);
  return { first: [position], last: [position], isNullable: false };
}

/** Counted as if there were no bounds: that leaves more ways on than there are. */
function repeated({ element, min, max }: AST.Quantifier, seen: Position[]): Fragment {
  const body = fragmentOf(element, seen);
  const isCounted = max !== Infinity && max > 1;
  const isLong = isCounted && (max > MOST_REPETITIONS || body.first.length > 1 || body.first[0] !== body.last[0]);
  if (isLong || body.isNullable) throw new Unknown();
  if (max > 1) link(body.last, body.first);
  return { ...body, isNullable: body.isNullable || min === 0 };
}

/** A way on that is there already is a second one to the same place: one loop within another, `(a+)+`. */
function link(ends: readonly Position[], beginnings: readonly Position[]): void {
  for (const { follow } of ends) {
    for (const beginning of beginnings) {
      if (follow.has(beginning)) throw new Unknown();
      follow.add(beginning);
    }
  }
}
