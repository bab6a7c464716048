import { describe, expect, it } from '@jest/globals';
import { asSubresourceFile, subresourceFile } from './subresource-file.js';

describe('a file as the answer of a subresource', () => {
  it('arrives as it was sent, also through JSON', () => {
    const bytes = Uint8Array.from({ length: 1000 }, (_, index) => index % 256);
    const sent = JSON.parse(JSON.stringify(subresourceFile('a.pdf', 'application/pdf', bytes))) as unknown;
    const file = asSubresourceFile(sent);
    expect(file).toMatchObject({ fileName: 'a.pdf', mediaType: 'application/pdf' });
    expect(Uint8Array.from(file?.bytes ?? [])).toEqual(bytes);
  });

  it.each([undefined, null, 'text', { kind: 'Plan' }, { kind: 'SubresourceFile' }])('is nothing else: %p', (answer) => {
    expect(asSubresourceFile(answer)).toBeUndefined();
  });
});
