import { describe, expect, it } from '@jest/globals';
import { TERRAFORM_ARCHIVE as ARCHIVE } from '../testing/terraform-archive.js';
import { readZipEntry } from './zip.js';

describe('readZipEntry', () => {
  it('gives a deflated file and a stored one', () => {
    expect(Buffer.from(readZipEntry(ARCHIVE, 'terraform') ?? []).toString()).toMatch(/^#!\/bin\/sh\necho "Terraform/);
    expect(Buffer.from(readZipEntry(ARCHIVE, 'stored') ?? []).toString()).toBe('as it is');
  });

  it('gives undefined for a file that is not in there', () => {
    expect(readZipEntry(ARCHIVE, 'terra')).toBeUndefined();
  });

  it('reads a part of a larger buffer', () => {
    const larger = new Uint8Array(ARCHIVE.length + 10);
    larger.set(ARCHIVE, 10);
    expect(readZipEntry(larger.subarray(10), 'stored')).toBeDefined();
  });

  it.each([
    { given: Buffer.from('no archive at all, but long enough to be one'), text: 'no ZIP archive' },
    { given: Buffer.alloc(0), text: 'no ZIP archive' },
    { given: ARCHIVE.subarray(60), text: 'damaged' },
  ])('refuses what is not whole: $text', ({ given, text }) => {
    expect(() => readZipEntry(given, 'terraform')).toThrow(text);
  });
});
