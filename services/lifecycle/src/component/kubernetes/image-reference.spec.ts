import { describe, expect, it } from '@jest/globals';
import { parseImage } from './image-reference.js';

describe('parseImage', () => {
  it.each([
    { text: 'crate-lifecycle', want: { repository: 'crate-lifecycle' } },
    { text: 'crate-lifecycle:1.4.2', want: { repository: 'crate-lifecycle', tag: '1.4.2' } },
    { text: 'registry:5000/crate-lifecycle', want: { repository: 'registry:5000/crate-lifecycle' } },
    { text: 'registry:5000/a/b:1@sha256:0f', want: { repository: 'registry:5000/a/b', tag: '1', digest: 'sha256:0f' } },
    { text: 'registry/a@sha256:0f', want: { repository: 'registry/a', digest: 'sha256:0f' } },
  ])('reads $text', ({ text, want }) => {
    expect(parseImage(text)).toEqual(want);
  });
});
