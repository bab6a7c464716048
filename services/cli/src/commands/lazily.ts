/**
 * An action whose code is loaded only once it is to run: help, completions and every other command do without it.
 * What `load` gives is called as the command line would call it.
 */
export function lazily<A extends readonly unknown[]>(
  load: () => Promise<(...args: A) => Promise<void> | void>,
): (...args: A) => Promise<void> {
  return async (...args) => (await load())(...args);
}
