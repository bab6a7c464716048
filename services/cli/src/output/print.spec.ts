import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { dataText, printAs, say } from './print.js';

describe('dataText', () => {
  it('quotes what is no text to readers of YAML 1.1', () => {
    expect(dataText('yaml', { labels: { a: 'yes', b: 'off', n: 'x' }, size: '1_000' })).toBe(
      'labels:\n  a: "yes"\n  b: "off"\n  "n": x\nsize: "1_000"\n',
    );
  });

  it('says what stands twice twice', () => {
    const item = { a: 1 };
    expect(dataText('yaml', [item, item])).toBe('- a: 1\n- a: 1\n');
  });
});

describe('what people read', () => {
  const HOSTILE = 'ok\u001b[2J\u202e';
  const written: string[] = [];
  const write = (text: unknown): true => (written.push(String(text)), true);
  afterEach(() => {
    jest.restoreAllMocks();
    written.length = 0;
  });

  it('writes nothing over the terminal', () => {
    jest.spyOn(process.stdout, 'write').mockImplementation(write);
    printAs('table', {}, () => ['NAME', `${HOSTILE}\n`]);
    expect(written).toEqual(['NAME\nok\\u001b[2J\\u202e\n']);
  });

  it.each(['text', 'json'] as const)('writes nothing over the terminal beside %s', (format) => {
    jest.spyOn(console, 'log').mockImplementation(write);
    jest.spyOn(console, 'error').mockImplementation(write);
    say(format, HOSTILE);
    expect(written).toEqual(['ok\\u001b[2J\\u202e']);
  });

  it('is data as it came for programs', () => {
    jest.spyOn(process.stdout, 'write').mockImplementation(write);
    printAs('json', HOSTILE, () => []);
    expect(JSON.parse(written.join(''))).toBe(HOSTILE);
  });
});
