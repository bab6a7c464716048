import type { AST } from '@eslint-community/regexpp';

/** Ranges of UTF-16 code units, both ends included; none of them overlap with the next. */
export type Units = readonly (readonly [number, number])[];

const LAST = 0xffff;
const DIGITS: Units = [[0x30, 0x39]];
const WORD: Units = [[0x30, 0x39], [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a]]; // prettier-ignore

/** What one place of a pattern without flags takes; undefined where that is not known. */
export function unitsOf(element: AST.Element): Units | undefined {
  if (element.type === 'Character') return [[element.value, element.value]];
  if (element.type === 'CharacterSet') return unitsOfSet(element);
  if (element.type !== 'CharacterClass' || element.unicodeSets) return undefined;
  const parts = element.elements.map(unitsOfMember);
  if (!parts.every((part) => part !== undefined)) return undefined;
  return element.negate ? others(parts.flat()) : parts.flat();
}

/** Whether no unit is in both. */
export function areApart(some: Units, others: Units): boolean {
  return some.every(([from, to]) => others.every(([first, last]) => last < from || to < first));
}

function unitsOfMember(member: AST.ClassRangesCharacterClassElement): Units | undefined {
  if (member.type === 'CharacterClassRange') return [[member.min.value, member.max.value]];
  return member.type === 'Character' ? [[member.value, member.value]] : unitsOfSet(member);
}

/** What a dot leaves out does not matter: more is taken to be the same than is. */
function unitsOfSet(set: AST.CharacterSet): Units | undefined {
  if (set.kind === 'any') return [[0, LAST]];
  if (set.kind !== 'digit' && set.kind !== 'word') return undefined;
  const units = set.kind === 'digit' ? DIGITS : WORD;
  return set.negate ? others(units) : units;
}

function others(units: Units): Units {
  const rest: [number, number][] = [];
  let from = 0;
  for (const [first, last] of [...units].sort(([one], [other]) => one - other)) {
    if (first > from) rest.push([from, first - 1]);
    from = Math.max(from, last + 1);
  }
  return from > LAST ? rest : [...rest, [from, LAST]];
}
