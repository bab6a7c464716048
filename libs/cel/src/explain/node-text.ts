import type { ASTNode } from '@marcbachmann/cel-js';

/** Strings, in which brackets mean nothing, and parentheses. Raw strings end where others do as far as brackets go. */
const TOKENS = /"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\/\/[^\n]*|[()]/g;

/** A part of an expression as it is written. The parser's ranges leave out parentheses at either end; they are put back. */
export function textOf({ input, start, end }: ASTNode): string {
  const text = input.slice(start, end);
  let open = 0;
  let missing = 0;
  for (const [token] of text.matchAll(TOKENS)) {
    if (token === '(') open += 1;
    if (token === ')' && open === 0) missing += 1;
    else if (token === ')') open -= 1;
  }
  return `${'('.repeat(missing)}${text}${')'.repeat(open)}`;
}
