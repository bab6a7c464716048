import { describe, expect, it } from '@jest/globals';
import { serverUrl, urlAt } from './server-url.js';

describe('serverUrl', () => {
  it.each(['https://crate.example.com', 'https://127.0.0.1:6440/', 'https://[::1]:6440'])('takes %s', (text) => {
    expect(serverUrl(text)).toBe(text.replace(/\/$/, ''));
  });

  it.each(['http://crate.example.com', 'crate.example.com', '127.0.0.1:6440', 'localhost:6440', ''])(
    'says what to give instead of "%s"',
    (text) => {
      expect(() => serverUrl(text)).toThrow(`"${text}" is no address of an API: give one such as https://`);
    },
  );
});

describe('urlAt', () => {
  it.each([
    { server: 'https://crate.example.com', want: 'https://crate.example.com/readyz' },
    { server: 'https://crate.example.com/', want: 'https://crate.example.com/readyz' },
    { server: 'https://example.com/k8s/crate', want: 'https://example.com/k8s/crate/readyz' },
  ])('goes on below $server', ({ server, want }) => {
    expect(urlAt(server, '/readyz').href).toBe(want);
  });
});
