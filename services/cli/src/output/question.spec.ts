import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { Interrupted } from '../interruption.js';
import { answerTo } from './question.js';

function typed(keys: string): { readonly answer: Promise<string>; readonly output: PassThrough } {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const answer = answerTo('Go on? ', { input, output, terminal: true });
  input.write(keys);
  return { answer, output };
}

describe('a question', () => {
  it('has what is typed for its answer', async () => {
    const { answer, output } = typed('yes\r');
    expect(await answer).toBe('yes');
    expect(String(output.read())).toContain('Go on? ');
  });

  it.each([
    { key: 'Ctrl-C', code: '\u0003' },
    { key: 'Ctrl-D', code: '\u0004' },
  ])('ends the command at $key, in order', async ({ code }) => {
    await expect(typed(code).answer).rejects.toThrow(Interrupted);
  });

  it('has no answer where the input ends', async () => {
    const input = new PassThrough();
    const answer = answerTo('Go on? ', { input, output: new PassThrough() });
    input.end();
    expect(await answer).toBe('');
  });
});
