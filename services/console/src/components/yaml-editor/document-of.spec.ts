import { expect, it } from '@jest/globals';
import { documentOf } from './document-of.js';

it.each([
  { reason: 'an object', text: 'spec: { a: 1 }', want: { spec: { a: 1 } } },
  { reason: 'a text', text: 'abc', want: {} },
  { reason: 'nothing', text: '', want: {} },
])('is what $reason says', ({ text, want }) => {
  expect(documentOf(text)).toEqual(want);
});

it('says where a text is no YAML', () => {
  expect(() => documentOf('spec: [1,')).toThrow(/line 1/);
});
