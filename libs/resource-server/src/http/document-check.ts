import { badRequest } from '@crate/errors';

/** Deeper than any kind's schema; what is deeper would overflow the stack of those who walk through it. */
const MAX_DEPTH = 100;
const MAX_VALUES = 200_000;

/** NUL and lone surrogates: no text in PostgreSQL can hold them. */
const UNSTORABLE = /[\0\p{Surrogate}]/u;

interface Place {
  readonly value: unknown;
  readonly depth: number;
  readonly path: string;
}

/**
 * Throws BadRequest for a document that is harmful to handle: nested too deep, with too many values, with keys that would change
 * the prototype of objects, or with text that cannot be stored. Gives the number of keys of all its objects.
 */
export function checkDocument(document: unknown): number {
  const open: Place[] = [{ value: document, depth: 0, path: '' }];
  let keys = 0;
  let values = 0;
  for (let place = open.pop(); place; place = open.pop()) {
    values += 1;
    if (values > MAX_VALUES) throw badRequest(`the request body has more than ${MAX_VALUES} values`);
    if (place.depth > MAX_DEPTH) throw badRequest(`the request body is nested deeper than ${MAX_DEPTH} levels`);
    const { value } = place;
    if (typeof value === 'string') checkText(value, place.path);
    else if (Array.isArray(value)) value.forEach((item, index) => open.push(below(place, String(index), item)));
    else if (typeof value === 'object' && value !== null) {
      const members = Object.entries(value);
      keys += members.length;
      for (const [key, member] of members) open.push(below(place, checkKey(key, member, place.path), member));
    }
  }
  return keys;
}

function below({ depth, path }: Place, step: string, value: unknown): Place {
  return { value, depth: depth + 1, path: path === '' ? step : `${path}.${step}` };
}

function checkKey(key: string, member: unknown, path: string): string {
  const isPrototype = key === '__proto__' || (key === 'constructor' && isRecord(member) && 'prototype' in member);
  if (isPrototype) throw badRequest(`the request body has a forbidden key ${key}${where(path)}`);
  checkText(key, path);
  return key;
}

function checkText(text: string, path: string): void {
  if (UNSTORABLE.test(text)) {
    throw badRequest(`the request body has text with a NUL character or half a surrogate pair${where(path)}`);
  }
}

function where(path: string): string {
  return path === '' ? '' : ` at ${path.slice(0, 200)}`;
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype');
}

const TOKEN = /[{}[\]]|"(?:[^"\\]|\\.)*"(\s*:)?/g;

/** Keys in the text of valid JSON; more than its value has when some are given twice. */
export function countKeys(json: string): number {
  let keys = 0;
  // Each text is taken, also where it is no key: a search for keys alone would begin anew at every quote in it.
  for (const [, colon] of json.matchAll(TOKEN)) if (colon !== undefined) keys += 1;
  return keys;
}

/** The keys that an object of valid JSON has twice, as paths. */
export function duplicateKeys(json: string): readonly string[] {
  const objects: { readonly keys: Set<string> | undefined; key: string }[] = [];
  const found: string[] = [];
  for (const [token, colon] of json.matchAll(TOKEN)) {
    if (token === '{') objects.push({ keys: new Set(), key: '' });
    else if (token === '[') objects.push({ keys: undefined, key: '' });
    else if (token === '}' || token === ']') objects.pop();
    const inner = objects.at(-1);
    if (colon === undefined || !inner?.keys) continue;
    inner.key = JSON.parse(token.slice(0, -colon.length)) as string;
    if (inner.keys.has(inner.key)) found.push(objects.flatMap(({ key }) => (key === '' ? [] : [key])).join('.'));
    inner.keys.add(inner.key);
  }
  return found;
}
