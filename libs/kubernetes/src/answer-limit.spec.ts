import { describe, expect, it } from '@jest/globals';
import { AnswerLimit } from './answer-limit.js';

/** As badly cut as can be. */
async function read(text: string, limitBytes: number): Promise<string> {
  async function* bytes(): AsyncIterable<Uint8Array> {
    for (const byte of Buffer.from(text)) yield Uint8Array.of(byte);
  }
  return new AnswerLimit(limitBytes).read(bytes(), 'https://x');
}

describe('AnswerLimit', () => {
  it.each([
    { what: 'a text', value: '1,[{'.repeat(1000) },
    {
      what: 'JSON in a text',
      value: JSON.stringify(Array.from({ length: 500 }, () => ({ path: 'C:\\', said: '"é",' }))),
    },
    { what: 'a text that ends with a backslash', value: ',,[\\'.repeat(1000) },
  ])('takes $what for one value, whatever is in it', async ({ value }) => {
    const text = JSON.stringify({ data: { value } });
    expect(await read(text, Buffer.byteLength(text) + 100)).toBe(text);
  });

  it('counts values that follow a text', async () => {
    const text = JSON.stringify(['\\', '"', ...Array.from({ length: 1000 }, () => ({}))]);
    await expect(read(text, 10 * text.length)).rejects.toMatchObject({ details: { reason: 'AnswerTooLarge' } });
    expect(await read(text, 50 * text.length)).toBe(text);
  });
});
