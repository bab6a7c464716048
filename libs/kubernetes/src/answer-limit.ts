import { PlatformError } from '@crate/errors';

/** A value takes so much memory, or more, however short its text is. */
const BYTES_OF_VALUE = 40;
const [COMMA, BRACKET, BRACE, QUOTE, BACKSLASH] = [0x2c, 0x5b, 0x7b, 0x22, 0x5c];

/**
 * How much memory answers of a cluster may take, several together or one. A cluster belongs to somebody who is root in it: what it answers
 * with must not be what its neighbours go without.
 */
export class AnswerLimit {
  constructor(private leftBytes: number) {}

  /** The whole text. Throws Unavailable (`AnswerTooLarge`) as soon as it is too much, and reads no further. */
  async read(body: AsyncIterable<Uint8Array> | null, server: string): Promise<string> {
    const [decoder, weight] = [new TextDecoder(), new Weight()];
    let text = '';
    for await (const chunk of body ?? []) {
      this.leftBytes -= weight.of(chunk);
      if (this.leftBytes < 0) throw answerTooLarge(server);
      text += decoder.decode(chunk, { stream: true });
    }
    return text + decoder.decode();
  }
}

/** What it means that a cluster answers with more than anybody should have to take in. */
export function answerTooLarge(server: string): PlatformError {
  return new PlatformError('Unavailable', `The API server ${server} answers with more than is taken in`, {
    details: {
      reason: 'AnswerTooLarge',
      remedy: 'Look in the cluster for objects that are very many, or have very long annotations',
    },
  });
}

/** What JSON comes to in memory, chunk by chunk: what stands between quotes is one value, whatever it is made of. */
class Weight {
  private isQuoted = false;
  private isEscaped = false;

  of(chunk: Uint8Array): number {
    let values = 0;
    for (const byte of chunk) if (this.beginsValue(byte)) values += 1;
    return chunk.length + values * BYTES_OF_VALUE;
  }

  private beginsValue(byte: number): boolean {
    if (!this.isQuoted) {
      this.isQuoted = byte === QUOTE;
      return byte === COMMA || byte === BRACKET || byte === BRACE;
    }
    if (this.isEscaped) this.isEscaped = false;
    else if (byte === BACKSLASH) this.isEscaped = true;
    else this.isQuoted = byte !== QUOTE;
    return false;
  }
}
