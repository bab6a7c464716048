import { badRequest } from '@crate/errors';
import type { Environment } from '@marcbachmann/cel-js';
import { UnsignedInt } from '@marcbachmann/cel-js/evaluator';
import { textOf } from './text.js';

const CLAUSE = /%(?:%|(?:\.(\d{1,3}))?([a-zA-Z])|)/g;
const DEFAULT_PRECISION = 6;
/** `toFixed` gives no more, and all digits of a double that matter for a tie. */
const MOST_DIGITS = 100;

type Verb = (value: unknown, precision: number) => string | undefined;

const VERBS: Readonly<Record<string, Verb>> = {
  s: textOf,
  d: (value) => (isWhole(value) || isEndless(value) ? textOf(value) : undefined),
  f: (value, precision) => numeric(value, (number) => fixed(number, precision)),
  e: (value, precision) => numeric(value, (number) => scientific(number, precision)),
  b: (value) => (typeof value === 'boolean' ? String(Number(value)) : radix(value, 2)),
  o: (value) => radix(value, 8),
  x: (value) => (typeof value === 'string' || value instanceof Uint8Array ? hexOf(value) : radix(value, 16)),
  X: (value, precision) => VERBS['x']?.(value, precision)?.toUpperCase(),
};

/** `format` and `quote`. Source: https://github.com/google/cel-go/blob/master/ext/README.md#format */
export function addFormat(environment: Environment): void {
  environment
    .registerFunction('string.format(list): string', format)
    .registerType('StringsNamespace', StringsNamespace)
    .registerConstant('strings', 'StringsNamespace', new StringsNamespace())
    .registerFunction('StringsNamespace.quote(string): string', (_: StringsNamespace, text: string) => quote(text));
}

class StringsNamespace {}

function format(text: string, values: readonly unknown[]): string {
  let next = 0;
  return text.replace(CLAUSE, (clause, precision: string | undefined, name: string | undefined) => {
    if (clause === '%%') return '%';
    const verb = VERBS[name ?? ''];
    if (!verb) throw badRequest(`format: ${clause} is none of %s %d %f %e %b %o %x %X`);
    if (next >= values.length) throw badRequest(`format: there is no value for ${clause}, number ${next + 1}`);
    const formatted = verb(values[next++], precision === undefined ? DEFAULT_PRECISION : Number(precision));
    if (formatted === undefined) throw badRequest(`format: ${clause} does not take value number ${next}`);
    return formatted;
  });
}

function isWhole(value: unknown): boolean {
  return typeof value === 'bigint' || value instanceof UnsignedInt;
}

/** Also not a number. */
function isEndless(value: unknown): boolean {
  return typeof value === 'number' && !Number.isFinite(value);
}

function numeric(value: unknown, formatted: (number: number) => string): string | undefined {
  if (isEndless(value)) return textOf(value);
  if (typeof value === 'number') return formatted(value);
  return isWhole(value) ? formatted(Number(textOf(value))) : undefined;
}

/** Halves go to the even digit, as in IEEE 754. */
function fixed(number: number, precision: number): string {
  const rounded = number.toFixed(precision);
  const beyond = number.toFixed(MOST_DIGITS).slice(precision - MOST_DIGITS);
  if (precision === MOST_DIGITS || !/^50*$/.test(beyond)) return rounded;
  const cut = number
    .toFixed(MOST_DIGITS)
    .slice(0, precision - MOST_DIGITS)
    .replace(/\.$/, '');
  return /[02468]$/.test(cut) ? cut : rounded;
}

function scientific(number: number, precision: number): string {
  return number.toExponential(precision).replace(/e([+-])(\d)$/, 'e$10$2');
}

function radix(value: unknown, base: number): string | undefined {
  return isWhole(value) ? BigInt(textOf(value)).toString(base) : undefined;
}

function hexOf(value: string | Uint8Array): string {
  return Buffer.from(value as string).toString('hex');
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
};

/** Half a pair of surrogates becomes the replacement character. */
function quote(text: string): string {
  const wellFormed = Buffer.from(text).toString();
  const escaped = wellFormed.replace(/[\u0007\b\f\n\r\t\v\\"]/g, (found) => ESCAPES[found] ?? found);
  return `"${escaped}"`;
}
