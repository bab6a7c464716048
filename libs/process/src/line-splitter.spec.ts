import { describe, expect, it } from '@jest/globals';
import { LineSplitter } from './line-splitter.js';
import { createRedactor } from './redactor.js';

function linesOf(chunks: readonly (string | Uint8Array)[], maxLength = 100, secrets: readonly string[] = []): string[] {
  const lines: string[] = [];
  const splitter = new LineSplitter((line) => lines.push(line), createRedactor(secrets), maxLength);
  for (const chunk of chunks) splitter.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  splitter.end();
  return lines;
}

describe('LineSplitter', () => {
  it.each([
    { name: 'joins chunks', given: ['a', 'b\nc', '\n'], want: ['ab', 'c'] },
    { name: 'keeps the last line without an end', given: ['a\nb'], want: ['a', 'b'] },
    { name: 'keeps empty lines', given: ['a\n\nb\n'], want: ['a', '', 'b'] },
    { name: 'drops carriage returns', given: ['a\r\nb\r\n'], want: ['a', 'b'] },
    { name: 'emits nothing for nothing', given: [], want: [] },
  ])('$name', ({ given, want }) => {
    expect(linesOf(given)).toEqual(want);
  });

  it('joins a character that two chunks share', () => {
    const bytes = Buffer.from('é\n');

    expect(linesOf([bytes.subarray(0, 1), bytes.subarray(1)])).toEqual(['é']);
  });

  it('cuts a long line and tells how much is gone', () => {
    expect(linesOf(['x'.repeat(8), 'y'.repeat(7), '\nnext\n'], 10)).toEqual(['xxxxxxxxyy [5 more characters]', 'next']);
  });

  it('never shows part of a secret that stands across the cut', () => {
    const [line] = linesOf([`12345678hunter2-hunter2 and more ${'z'.repeat(50)}\n`], 12, ['hunter2-hunter2']);

    expect(line).not.toContain('hunt');
    expect(line).toContain('12345678[red');
  });
});

describe('createRedactor', () => {
  const pem = '-----BEGIN KEY-----\nabcdefghijkl\nmnopqrstuvwx\n-----END KEY-----\n';

  it.each([
    {
      name: 'plain',
      secrets: ['hunter2'],
      given: 'password=hunter2 twice hunter2',
      want: 'password=[redacted] twice [redacted]',
    },
    { name: 'JSON-escaped', secrets: ['say "hi" now'], given: '{"a":"say \\"hi\\" now"}', want: '{"a":"[redacted]"}' },
    { name: 'URL-encoded', secrets: ['a/b+c=d'], given: '?key=a%2Fb%2Bc%3Dd', want: '?key=[redacted]' },
    { name: 'base64', secrets: ['hunter2'], given: 'Basic aHVudGVyMg==', want: 'Basic [redacted]==' },
    { name: 'a line of a key', secrets: [pem], given: 'found mnopqrstuvwx here', want: 'found [redacted] here' },
    {
      name: 'one secret within another',
      secrets: ['abc', 'abcdef'],
      given: 'abcdef abc',
      want: '[redacted] [redacted]',
    },
    { name: 'nothing', secrets: [''], given: 'as it is', want: 'as it is' },
  ])('masks a secret: $name', ({ secrets, given, want }) => {
    expect(createRedactor(secrets).redact(given)).toBe(want);
  });
});
