import { afterEach, expect, it, jest } from '@jest/globals';
import { warnOnTerminal } from './warnings.js';

afterEach(() => {
  jest.restoreAllMocks();
});

it('shows what a warning would write over the terminal', () => {
  const written = jest.spyOn(console, 'error').mockImplementation(() => undefined);
  warnOnTerminal('a\u009b2A\u202eb');
  expect(written.mock.calls.flat().join('')).toMatch(/Warning:.* a\\u009b2A\\u202eb$/);
});
