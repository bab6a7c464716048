import { describe, expect, it } from '@jest/globals';
import { serverUrl } from './server-url.js';

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
