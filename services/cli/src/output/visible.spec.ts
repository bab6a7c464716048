import { describe, expect, it } from '@jest/globals';
import { oneLine, visible } from './visible.js';

describe('visible', () => {
  it.each([
    { name: 'an escape sequence', given: 'a\u001b[2Kb', want: 'a\\u001b[2Kb' },
    { name: 'one in a single character', given: 'a\u009b2Kb', want: 'a\\u009b2Kb' },
    { name: 'a return to the begin of the line', given: 'a\rb\bc', want: 'a\\u000db\\u0008c' },
    { name: 'a turn of the direction', given: 'a\u202eb\u2066c', want: 'a\\u202eb\\u2066c' },
    { name: 'a mark of the direction', given: 'a\u200eb\u200fc\u061c', want: 'a\\u200eb\\u200fc\\u061c' },
  ])('shows $name as what it is', ({ given, want }) => expect(visible(given)).toBe(want));

  it('leaves lines, tabs and all scripts', () => {
    const text = 'ä\tЖ\n日本 👩‍🚀 \u05d0';
    expect(visible(text)).toBe(text);
  });
});

describe('oneLine', () => {
  it('is one', () => expect(oneLine('a\n  b\tc\r\nd\u001b')).toBe('a b c d\\u001b'));
});
