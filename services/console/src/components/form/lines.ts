import type { JsonSchema } from '../yaml-editor/json-schema.js';
import { typedNumber } from './typed-number.js';

/** How a value of several parts is typed, a line each. */
export interface Lines {
  /** What is said of it: an item a line, or `name=value`. */
  readonly form: 'itemLines' | 'pairLines';
  readonly toLines: (value: unknown) => readonly string[];
  readonly fromLines: (lines: readonly string[]) => unknown;
}

type Scalar = 'string' | 'integer' | 'number';

/** Lists of texts or numbers, an item a line; undefined for any other schema. */
export function listLines({ type, items }: JsonSchema): Lines | undefined {
  const of = items?.type;
  if (type !== 'array' || !isScalar(of)) return undefined;
  return {
    form: 'itemLines',
    toLines: (value) => (Array.isArray(value) ? value.map(String) : []),
    fromLines: (lines) => lines.map((line) => scalarOf(line.trim(), of)),
  };
}

/** Maps of texts or numbers, `name=value` a line; undefined for any other schema. */
export function mapLines({ type, additionalProperties }: JsonSchema): Lines | undefined {
  const of = typeof additionalProperties === 'object' ? additionalProperties.type : undefined;
  if (type !== 'object' || !isScalar(of)) return undefined;
  return {
    form: 'pairLines',
    toLines: (value) =>
      typeof value === 'object' && value !== null
        ? Object.entries(value).map(([name, member]) => `${name}=${String(member)}`)
        : [],
    fromLines: (lines) =>
      Object.fromEntries(
        lines.map((line) => {
          const [name = '', ...rest] = line.split('=');
          return [name.trim(), scalarOf(rest.join('=').trim(), of)];
        }),
      ),
  };
}

/** What a text states, a line each; lines of blanks state nothing. Pure. */
export function statedBy({ fromLines }: Pick<Lines, 'fromLines'>, text: string): unknown {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.length === 0 ? undefined : fromLines(lines);
}

/** Whether a value comes back from its lines as it was: a text with a break in it, or with blanks around it, does not. Pure. */
export function isOfLines(lines: Pick<Lines, 'toLines' | 'fromLines'>, value: unknown): boolean {
  const isEmpty = typeof value === 'object' && Object.keys(value ?? {}).length === 0;
  if (value === undefined || isEmpty) return true;
  return JSON.stringify(statedBy(lines, lines.toLines(value).join('\n'))) === JSON.stringify(value);
}

function isScalar(type: string | undefined): type is Scalar {
  return type === 'string' || type === 'integer' || type === 'number';
}

/** What is no number, or more than one keeps, stays as it was typed, for the server to object to. */
function scalarOf(text: string, type: Scalar): unknown {
  return type === 'string' || text === '' || Number.isNaN(Number(text)) ? text : typedNumber(text);
}
