const GAP = 2;

/** Lines with columns as wide as their widest cell. */
export function formatTable(header: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const all = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  return all.map((row) =>
    row
      .map((cell, column) => cell.padEnd((widths[column] ?? 0) + GAP))
      .join('')
      .trimEnd(),
  );
}
