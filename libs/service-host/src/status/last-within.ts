/** Gives what it was given last, unless that is older than `ms` by now. */
export function lastWithin<T>(
  ms: number,
  now: () => number = () => performance.now(),
): (latest: T | undefined) => T | undefined {
  let last: { readonly value: T; readonly at: number } | undefined;
  return (latest) => {
    if (latest !== undefined) last = { value: latest, at: now() };
    return last && now() - last.at <= ms ? last.value : undefined;
  };
}
