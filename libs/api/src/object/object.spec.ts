import { describe, expect, it } from '@jest/globals';
import { formatApiVersion, parseApiVersion } from './object.js';

describe('apiVersion', () => {
  it.each([
    { text: 'v1', group: '', version: 'v1' },
    { text: 'apps/v1', group: 'apps', version: 'v1' },
    { text: 'lifecycle.crate.dev/v1alpha1', group: 'lifecycle.crate.dev', version: 'v1alpha1' },
  ])('$text is read and written alike', ({ text, group, version }) => {
    expect(parseApiVersion(text)).toEqual({ group, version });
    expect(formatApiVersion(group, version)).toBe(text);
  });
});
