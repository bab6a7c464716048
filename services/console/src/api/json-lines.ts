/**
 * Yields each line of a streamed body as parsed JSON, until the body ends. A last line without its end is dropped: the
 * connection broke within it.
 */
export async function* jsonLines<T>(body: ReadableStream<Uint8Array>): AsyncGenerator<T> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      yield* lines.filter((line) => line.trim() !== '').map((line) => JSON.parse(line) as T);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
