/** Settles as `work` does, or rejects with the signal's reason when that comes first; `work` itself goes on unheard. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason as Error);
  });
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
    // Whatever lost the race must not count as an unhandled rejection.
    work.catch(() => undefined);
    aborted.catch(() => undefined);
  }
}
