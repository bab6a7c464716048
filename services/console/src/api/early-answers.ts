interface EarlyAnswer {
  readonly response: Promise<Response>;
  readonly abort: AbortController;
}

declare global {
  /** Answers to what `public/start.js` asked for, by path. */
  var crateEarlyAnswers: Map<string, EarlyAnswer> | undefined;
}

/**
 * The answer to a plain GET that was asked for before this code was there; each is given once, undefined afterwards and
 * for every other path. `signal` ends it, as it would end a request of one's own.
 */
export function takeEarlyAnswer(path: string, signal?: AbortSignal): Promise<Response> | undefined {
  const early = globalThis.crateEarlyAnswers?.get(path);
  if (!early) return undefined;
  globalThis.crateEarlyAnswers?.delete(path);
  const end = (): void => early.abort.abort(signal?.reason);
  if (signal?.aborted) end();
  signal?.addEventListener('abort', end);
  return early.response;
}

/** Ends what nobody took: it was asked for by somebody who is not signed in any more. */
export function forgetEarlyAnswers(): void {
  for (const { abort } of globalThis.crateEarlyAnswers?.values() ?? []) abort.abort();
  globalThis.crateEarlyAnswers?.clear();
}
