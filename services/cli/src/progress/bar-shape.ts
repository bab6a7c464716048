import { isDumbTerminal } from '../config.js';

const WIDE_COLUMNS = 90;
const NARROW_COLUMNS = 60;
const USUAL_COLUMNS = 80;

/** What fits into a line of a terminal. */
export interface BarShape {
  /** The last one stays free: there it would go on in the next line. */
  readonly columns: number;
  /** 0 where there is no room for a bar. */
  readonly bar: number;
  /** Whether there is room for the time since the start. */
  readonly hasTime: boolean;
}

/** What a terminal has room for; a bar of `wide` characters where it is wide enough. */
export function barShapeOf(terminal: { readonly columns?: number }, wide: number): BarShape {
  // Some say 0 where they do not know.
  const all = terminal.columns || USUAL_COLUMNS;
  const columns = all - 1;
  if (all >= WIDE_COLUMNS) return { columns, bar: wide, hasTime: true };
  if (all >= NARROW_COLUMNS) return { columns, bar: Math.floor(wide / 2), hasTime: true };
  return { columns, bar: 0, hasTime: false };
}

/** Whether it is a terminal that goes back to what it has written: for bars, and to show something again in its place. */
export function canGoBack({ isTTY }: NodeJS.WriteStream): boolean {
  return isTTY && !isDumbTerminal();
}

/** The text, or as much of it as fits, with a sign that there is more. */
export function fitted(text: string, width: number): string {
  if (text.length <= width) return text;
  return width < 1 ? '' : `${text.slice(0, width - 1).trimEnd()}…`;
}
