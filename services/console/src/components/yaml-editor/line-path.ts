import type { FieldPath } from './json-schema.js';

/** A key, or the dash of a list item, and its column. */
interface Token {
  readonly column: number;
  /** Undefined for a dash. */
  readonly key?: string;
}

/** What the cursor stands at, told by indentation: a document that is being typed does not parse. */
export interface LinePlace {
  /** Of the map that a key is typed in, or of the key whose value is typed. */
  readonly path: FieldPath;
  readonly kind: 'key' | 'value';
  /** What is typed already, and where it begins in the line. */
  readonly typed: string;
  readonly column: number;
  /** Keys that the map has already. */
  readonly siblings: readonly string[];
}

const LINE = /^(\s*)((?:- +|-$)*)(?:("[^"]*"|'[^']*'|[^\s#:'"{[-][^:#]*?|-[^\s:#]+):(?=\s|$))?/;

/** Where `column` of line `index` is; undefined inside of comments, braces and texts. */
export function placeAt(lines: readonly string[], index: number, column: number): LinePlace | undefined {
  const before = (lines[index] ?? '').slice(0, column);
  if (/#|[{[]/.test(before)) return undefined;
  const value = /^(\s*(?:- +)*)([^\s:'"]+): +(\S*)$/.exec(before);
  if (value) {
    const [, lead = '', key = '', typed = ''] = value;
    const path = [...pathAbove(lines, index, lead.length), key];
    return { path, kind: 'value', typed, column: column - typed.length, siblings: [] };
  }
  const key = /^(\s*(?:- +)*)([\w./-]*)$/.exec(before);
  if (!key) return undefined;
  const [, lead = '', typed = ''] = key;
  const path = pathAbove(lines, index, lead.length);
  return { path, kind: 'key', typed, column: lead.length, siblings: siblingsOf(lines, index, lead.length) };
}

/** Path of the map whose keys stand at `column` in line `index`. */
function pathAbove(lines: readonly string[], index: number, column: number): FieldPath {
  const path: (string | number)[] = [];
  let keyLimit = column;
  let dashLimit = column;
  for (let at = index; at >= 0; at -= 1) {
    for (const token of tokensOf(lines[at] ?? '').toReversed()) {
      if (token.key !== undefined && token.column < keyLimit) {
        path.unshift(token.key);
        keyLimit = dashLimit = token.column;
      } else if (token.key === undefined && token.column < dashLimit) {
        path.unshift(0);
        dashLimit = token.column;
        // The dashes of a list may stand right below its key.
        keyLimit = token.column + 1;
      }
    }
  }
  return path;
}

function siblingsOf(lines: readonly string[], index: number, column: number): readonly string[] {
  const keys: string[] = [];
  const collect = (from: number, step: 1 | -1): void => {
    for (let at = from; at >= 0 && at < lines.length; at += step) {
      const tokens = tokensOf(lines[at] ?? '');
      const own = tokens.find((token) => token.column === column && token.key !== undefined);
      const startsItem = tokens.some((token) => token.key === undefined && token.column < column);
      const leaves = tokens.some((token) => token.column < column);
      if (own?.key !== undefined && !(step === 1 && startsItem)) keys.push(own.key);
      if (leaves) return;
    }
  };
  if (!tokensOf(lines[index] ?? '').some((token) => token.column < column)) collect(index - 1, -1);
  collect(index + 1, 1);
  return keys;
}

function tokensOf(line: string): readonly Token[] {
  if (/^\s*(#|$)/.test(line)) return [];
  const [whole = '', indent = '', dashes = '', key] = LINE.exec(line) ?? [];
  const tokens: Token[] = [...dashes.matchAll(/-/g)].map(({ index }) => ({ column: indent.length + index }));
  if (key !== undefined && whole !== '') {
    tokens.push({ column: indent.length + dashes.length, key: key.replace(/^["'](.*)["']$/, '$1') });
  }
  return tokens;
}
