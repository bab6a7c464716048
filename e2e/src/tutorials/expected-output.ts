const ANYTHING = '…';

/**
 * Whether a program printed what a page says. Runs of blanks are alike, `…` in a line stands for anything in it, and a line of
 * its own for any lines, or none. All else has to be there, from the first line to the last.
 */
export function isAsExpected(printed: string, expected: string): boolean {
  return new RegExp(`^${linesOf(expected).map(pattern).join('')}$`).test(linesOf(printed).map(ended).join(''));
}

function pattern(line: string): string {
  if (line === ANYTHING) return '(?:[^\\n]*\\n)*?';
  return ended(line.split(ANYTHING).map(escaped).join('[^\\n]*'));
}

function ended(line: string): string {
  return `${line}\n`;
}

function linesOf(text: string): string[] {
  const lines = text.split('\n').map((line) => line.replace(/[ \t]+/g, ' ').trimEnd());
  while (lines.at(-1) === '') lines.pop();
  return lines;
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
