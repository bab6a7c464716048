/** Lines as they are drawn: how many went before them, and where the ones in sight begin. */
export interface DrawnLines {
  readonly dropped: number;
  readonly items: readonly { readonly index: number; readonly start: number }[];
}

/** Where to scroll to, so that the line at the top stays there after others above it went. Pure. */
export function placeAfter(
  before: DrawnLines,
  scrollOffset: number,
  dropped: number,
  startOf: (index: number) => number,
): number {
  const top = before.items.findLast(({ start }) => start <= scrollOffset);
  if (!top) return scrollOffset;
  const index = Math.max(0, top.index + before.dropped - dropped);
  return startOf(index) + scrollOffset - top.start;
}
