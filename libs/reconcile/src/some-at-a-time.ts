/** Asks about each, so many at a time; gives the answers in the order of what was asked about. Throws what the first that fails throws. */
export async function someAtATime<T, R>(
  all: readonly T[],
  count: number,
  ask: (one: T, index: number) => Promise<R>,
): Promise<readonly R[]> {
  const answers: R[] = [];
  for (let from = 0; from < all.length; from += count)
    answers.push(...(await Promise.all(all.slice(from, from + count).map((one, index) => ask(one, from + index)))));
  return answers;
}
