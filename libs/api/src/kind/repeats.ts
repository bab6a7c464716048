/** Indices of the values that stand before too. Looks at each once: lists are judged before their length is. Pure. */
export function repeats(values: readonly unknown[]): readonly number[] {
  const seen = new Set<unknown>();
  return values.flatMap((value, index) => {
    const isRepeated = seen.has(value);
    seen.add(value);
    return isRepeated ? [index] : [];
  });
}
