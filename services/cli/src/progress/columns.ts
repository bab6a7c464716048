import { oneLine } from '../output/visible.js';

/** Rows as lines, in columns that keep their width over several calls and only grow, as what comes bit by bit needs it. */
export class Columns {
  private readonly widths: number[] = [];

  constructor(private readonly gap = 2) {}

  lines(texts: readonly (readonly string[])[]): readonly string[] {
    const rows = texts.map((row) => row.map(oneLine));
    for (const row of rows) {
      for (const [column, cell] of row.entries()) {
        this.widths[column] = Math.max(this.widths[column] ?? 0, cell.length);
      }
    }
    return rows.map((row) =>
      row
        .map((cell, column) => cell.padEnd((this.widths[column] ?? 0) + this.gap))
        .join('')
        .trimEnd(),
    );
  }
}
