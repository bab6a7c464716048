import { describe, expect, it } from '@jest/globals';
import { dataText } from './print.js';

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
