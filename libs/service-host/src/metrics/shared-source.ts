/** Gauges of one scrape are collected at once; what is older than this is of an earlier scrape. */
const SAME_SCRAPE_MS = 500;

/** What several gauges show parts of, looked up once for all of them. A look that fails is repeated by the next who asks. */
export function sharedSource<T>(look: () => Promise<T>, now: () => number = () => performance.now()): () => Promise<T> {
  let last: { readonly at: number; readonly value: Promise<T> } | undefined;
  return () => {
    if (last && now() - last.at < SAME_SCRAPE_MS) return last.value;
    const value = look();
    const own = { at: now(), value };
    last = own;
    value.catch(() => {
      if (last === own) last = undefined;
    });
    return value;
  };
}
