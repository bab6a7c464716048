/** The JSON documents of a stream that has one on each line. An unfinished last line is left out. */
export async function* jsonLines<T>(stream: AsyncIterable<Buffer>): AsyncGenerator<T> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of stream) {
    // Lines are cut in bytes: a character may lie across two chunks.
    let buffer = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (let end = buffer.indexOf(0x0a); end >= 0; end = buffer.indexOf(0x0a)) {
      const line = buffer.toString('utf8', 0, end).trim();
      buffer = buffer.subarray(end + 1);
      if (line !== '') yield JSON.parse(line) as T;
    }
    rest = buffer;
  }
}
